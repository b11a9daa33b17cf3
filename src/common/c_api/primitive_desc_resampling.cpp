// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of resampling.
#include "common/c_api/create.hpp"
#include "common/descriptors/resampling.hpp"

using dnnl::impl::create_primitive_desc;
using dnnl::impl::forward_hint;
using dnnl::impl::make_resampling_desc;
using dnnl::impl::require;
using dnnl::impl::resampling_desc;

dnnl_status_t dnnl_resampling_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const float *factors, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_resampling}, [&] {
        require(dnnl::impl::is_forward(prop_kind), "resampling: prop_kind is not a forward kind");
        return make_resampling_desc(prop_kind, alg_kind, factors, src_desc, dst_desc, nullptr);
    });
}

dnnl_status_t dnnl_resampling_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const float *factors,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_resampling}, [&] {
        return make_resampling_desc(dnnl_backward_data, alg_kind, factors, diff_src_desc,
            diff_dst_desc, forward_hint<resampling_desc>(hint_fwd_pd));
    });
}
