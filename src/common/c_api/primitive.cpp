// SPDX-License-Identifier: Apache-2.0
// C entry points: primitives.
#include "common/plan/primitive.hpp"

#include "common/c_api/guard.hpp"
#include "common/verbose/verbose.hpp"
#include "dnnl/dnnl.h"
#include "dnnl/dnnl_debug.h"

namespace verbose = impl::verbose;

dnnl_status_t dnnl_primitive_create(
    dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t primitive_desc) {
    return guarded({{primitive, "primitive"}, {primitive_desc, "primitive_desc"}}, [&] {
        const bool timed = verbose::wants(verbose::profile_create);
        const double start_ms = timed ? verbose::now_ms() : 0;
        *primitive = new dnnl_primitive(*primitive_desc);
        if (timed)
            verbose::profiled(primitive_desc->was_kept() ? "create:cache_hit" : "create:cache_miss",
                primitive_desc->chosen(), verbose::now_ms() - start_ms);
    });
}

dnnl_status_t dnnl_primitive_get_primitive_desc(
    const_dnnl_primitive_t primitive, const_dnnl_primitive_desc_t *primitive_desc) {
    return guarded({{primitive, "primitive"}, {primitive_desc, "primitive_desc"}},
        [&] { *primitive_desc = &primitive->pd(); });
}

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
    int nargs, const dnnl_exec_arg_t *args) {
    return guarded({{primitive, "primitive"}}, [&] {
        try {
            require(stream, "stream: must not be NULL");
            require(nargs >= 0, "nargs: it is negative");
            require(args || nargs == 0, "args: must not be NULL");
            primitive->execute(stream, {args, static_cast<std::size_t>(nargs)});
        } catch (error &e) {
            verbose::check_failed("exec", dnnl_prim_kind2str(primitive->pd().kind()), e);
            throw;
        }
    });
}

dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive) {
    delete primitive;
    return dnnl_success;
}
