// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of pooling.
#include "common/c_api/create.hpp"
#include "common/descriptors/pooling.hpp"

using dnnl::impl::create_primitive_desc;
using dnnl::impl::forward_hint;
using dnnl::impl::make_pooling_desc;
using dnnl::impl::pooling_desc;
using dnnl::impl::require;

dnnl_status_t dnnl_pooling_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_pooling}, [&] {
        require(dnnl::impl::is_forward(prop_kind), "pooling: prop_kind is not a forward kind");
        return make_pooling_desc(prop_kind, alg_kind, src_desc, dst_desc, kernel,
            {strides, dilation, padding_l, padding_r}, nullptr);
    });
}

dnnl_status_t dnnl_pooling_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t kernel,
    const dnnl_dims_t dilation, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_pooling}, [&] {
        return make_pooling_desc(dnnl_backward_data, alg_kind, diff_src_desc, diff_dst_desc, kernel,
            {strides, dilation, padding_l, padding_r}, forward_hint<pooling_desc>(hint_fwd_pd));
    });
}
