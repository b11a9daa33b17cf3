// SPDX-License-Identifier: Apache-2.0
// C entry points of the primitives that have no implementation: they refuse null arguments, then
// answer unimplemented.
#include <initializer_list>
#include <string>

#include "common/c_api/guard.hpp"
#include "common/verbose.hpp"
#include "dnnl/dnnl.h"

using dnnl::impl::error;
using dnnl::impl::guarded;
namespace verbose = dnnl::impl::verbose;

namespace {
struct mandatory {
    const void *pointer;
    const char *name;
};

dnnl_status_t refuse(const char *primitive, std::initializer_list<mandatory> arguments) noexcept {
    return guarded([&] {
        error refusal(
            dnnl_unimplemented, std::string(primitive) + ": no implementation is built yet");
        for (const mandatory &argument : arguments) {
            if (argument.pointer) continue;
            refusal = error(dnnl_invalid_arguments,
                std::string(primitive) + ": " + argument.name + ": must not be NULL");
            break;
        }
        if (verbose::wants(verbose::check))
            verbose::check_failed("create", primitive, refusal.what());
        throw refusal;
    });
}
} // namespace

dnnl_status_t dnnl_prelu_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t) {
    return refuse(
        "prelu", {{primitive_desc, "primitive_desc"}, {engine, "engine"}, {src_desc, "src_desc"},
                     {weights_desc, "weights_desc"}, {dst_desc, "dst_desc"}});
}

dnnl_status_t dnnl_prelu_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t,
    const_dnnl_primitive_attr_t) {
    return refuse(
        "prelu", {{primitive_desc, "primitive_desc"}, {engine, "engine"}, {src_desc, "src_desc"},
                     {weights_desc, "weights_desc"}, {diff_src_desc, "diff_src_desc"},
                     {diff_weights_desc, "diff_weights_desc"}, {diff_dst_desc, "diff_dst_desc"}});
}

dnnl_status_t dnnl_resampling_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t, dnnl_alg_kind_t, const float *factors,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t) {
    return refuse("resampling",
        {{primitive_desc, "primitive_desc"}, {engine, "engine"}, {src_desc, "src_desc"},
            {factors ? static_cast<const void *>(factors) : dst_desc, "factors and dst_desc"}});
}

dnnl_status_t dnnl_resampling_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t, const float *, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t,
    const_dnnl_primitive_attr_t) {
    return refuse(
        "resampling", {{primitive_desc, "primitive_desc"}, {engine, "engine"},
                          {diff_src_desc, "diff_src_desc"}, {diff_dst_desc, "diff_dst_desc"}});
}

dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t dst_desc, float, float, const_dnnl_primitive_attr_t) {
    return refuse("reduction", {{primitive_desc, "primitive_desc"}, {engine, "engine"},
                                   {src_desc, "src_desc"}, {dst_desc, "dst_desc"}});
}

