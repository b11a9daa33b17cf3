// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of inner product and matrix multiplication.
#include "common/c_api/create.hpp"
#include "common/descriptors/inner_product.hpp"
#include "common/descriptors/matmul.hpp"

using dnnl::impl::create_primitive_desc;
using dnnl::impl::forward_hint;
using dnnl::impl::inner_product_desc;
using dnnl::impl::make_inner_product_desc;
using dnnl::impl::require;

dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_inner_product}, [&] {
        require(
            dnnl::impl::is_forward(prop_kind), "inner_product: prop_kind is not a forward kind");
        return make_inner_product_desc(prop_kind, {src_desc, weights_desc, bias_desc, dst_desc});
    });
}

dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_inner_product}, [&] {
        forward_hint<inner_product_desc>(hint_fwd_pd);
        return make_inner_product_desc(
            dnnl_backward_data, {diff_src_desc, weights_desc, nullptr, diff_dst_desc});
    });
}

dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_inner_product}, [&] {
        forward_hint<inner_product_desc>(hint_fwd_pd);
        return make_inner_product_desc(
            dnnl_backward_weights, {src_desc, diff_weights_desc, diff_bias_desc, diff_dst_desc});
    });
}

dnnl_status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_matmul},
        [&] { return dnnl::impl::make_matmul_desc(src_desc, weights_desc, bias_desc, dst_desc); });
}
