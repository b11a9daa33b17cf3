// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of convolution.
#include "common/c_api/create.hpp"
#include "common/descriptors/convolution.hpp"

using dnnl::impl::convolution_desc;
using dnnl::impl::create_primitive_desc;
using dnnl::impl::forward_hint;
using dnnl::impl::make_convolution_desc;
using dnnl::impl::require;

dnnl_status_t dnnl_convolution_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
    const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_convolution}, [&] {
        require(dnnl::impl::is_forward(prop_kind), "convolution: prop_kind is not a forward kind");
        return make_convolution_desc(prop_kind, alg_kind,
            {src_desc, weights_desc, bias_desc, dst_desc},
            {strides, dilates, padding_l, padding_r});
    });
}

dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_convolution}, [&] {
        forward_hint<convolution_desc>(hint_fwd_pd);
        return make_convolution_desc(dnnl_backward_data, alg_kind,
            {diff_src_desc, weights_desc, nullptr, diff_dst_desc},
            {strides, dilates, padding_l, padding_r});
    });
}

dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_convolution}, [&] {
        forward_hint<convolution_desc>(hint_fwd_pd);
        return make_convolution_desc(dnnl_backward_weights, alg_kind,
            {src_desc, diff_weights_desc, diff_bias_desc, diff_dst_desc},
            {strides, dilates, padding_l, padding_r});
    });
}
