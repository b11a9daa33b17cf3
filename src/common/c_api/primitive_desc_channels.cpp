// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of shuffle and local response normalization.
#include "common/c_api/create.hpp"
#include "common/descriptors/lrn.hpp"
#include "common/descriptors/shuffle.hpp"

using dnnl::impl::create_primitive_desc;
using dnnl::impl::forward_hint;
using dnnl::impl::lrn_desc;
using dnnl::impl::make_lrn_desc;
using dnnl::impl::make_shuffle_desc;
using dnnl::impl::require;
using dnnl::impl::shuffle_desc;

dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t dst_desc, int axis, dnnl_dim_t group_size,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_shuffle}, [&] {
        require(dnnl::impl::is_forward(prop_kind), "shuffle: prop_kind is not a forward kind");
        return make_shuffle_desc(prop_kind, src_desc, dst_desc, axis, group_size, nullptr);
    });
}

dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_dst_desc, int axis, dnnl_dim_t group_size,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_shuffle}, [&] {
        return make_shuffle_desc(dnnl_backward_data, diff_src_desc, diff_dst_desc, axis, group_size,
            forward_hint<shuffle_desc>(hint_fwd_pd));
    });
}

dnnl_status_t dnnl_lrn_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t local_size,
    float alpha, float beta, float k, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_lrn}, [&] {
        require(dnnl::impl::is_forward(prop_kind), "lrn: prop_kind is not a forward kind");
        return make_lrn_desc(
            prop_kind, alg_kind, src_desc, dst_desc, nullptr, {local_size, alpha, beta, k});
    });
}

dnnl_status_t dnnl_lrn_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
    dnnl_dim_t local_size, float alpha, float beta, float k,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_lrn}, [&] {
        forward_hint<lrn_desc>(hint_fwd_pd);
        return make_lrn_desc(dnnl_backward_data, alg_kind, diff_src_desc, diff_dst_desc, src_desc,
            {local_size, alpha, beta, k});
    });
}
