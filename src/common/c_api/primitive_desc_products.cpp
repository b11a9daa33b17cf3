// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of convolution, deconvolution, inner product and matrix
// multiplication; of pooling, resampling and local response normalization.
#include "common/c_api/create.hpp"
#include "common/descriptors/convolution.hpp"
#include "common/descriptors/matmul.hpp"
#include "common/descriptors/pooling.hpp"
#include "common/descriptors/products.hpp"

using dnnl::impl::attributes;
using dnnl::impl::create_backward;
using dnnl::impl::create_forward;
using dnnl::impl::create_primitive_desc;
using dnnl::impl::hint_desc;
using dnnl::impl::new_desc;
using dnnl::impl::tensor;
namespace impl = dnnl::impl;

// ---- Convolution ----

dnnl_status_t dnnl_convolution_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor weights, tensor bias, tensor dst,
    const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, attributes attr) {
    return create_forward({out, engine, attr, dnnl_convolution}, prop, [&] {
        return impl::make_convolution_desc(
            prop, alg, {src, weights, bias, dst}, {strides, dilates, padding_l, padding_r});
    });
}

dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_alg_kind_t alg, tensor diff_src, tensor weights, tensor diff_dst,
    const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, hint_desc hint, attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_convolution};
    return create_backward<impl::convolution_desc>(call, hint, [&](auto *) {
        return impl::make_convolution_desc(dnnl_backward_data, alg,
            {diff_src, weights, nullptr, diff_dst}, {strides, dilates, padding_l, padding_r});
    });
}

dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_alg_kind_t alg, tensor src, tensor diff_weights, tensor diff_bias,
    tensor diff_dst, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, hint_desc hint, attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_convolution};
    return create_backward<impl::convolution_desc>(call, hint, [&](auto *) {
        return impl::make_convolution_desc(dnnl_backward_weights, alg,
            {src, diff_weights, diff_bias, diff_dst}, {strides, dilates, padding_l, padding_r});
    });
}

// ---- Deconvolution ----

dnnl_status_t dnnl_deconvolution_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor weights, tensor bias, tensor dst,
    const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, attributes attr) {
    return create_forward({out, engine, attr, dnnl_deconvolution}, prop, [&] {
        return impl::make_deconvolution_desc(
            prop, alg, {src, weights, bias, dst}, {strides, dilates, padding_l, padding_r});
    });
}

dnnl_status_t dnnl_deconvolution_backward_data_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_alg_kind_t alg, tensor diff_src, tensor weights, tensor diff_dst,
    const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, hint_desc hint, attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_deconvolution};
    return create_backward<impl::deconvolution_desc>(call, hint, [&](auto *) {
        return impl::make_deconvolution_desc(dnnl_backward_data, alg,
            {diff_src, weights, nullptr, diff_dst}, {strides, dilates, padding_l, padding_r});
    });
}

dnnl_status_t dnnl_deconvolution_backward_weights_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_alg_kind_t alg, tensor src, tensor diff_weights, tensor diff_bias,
    tensor diff_dst, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, hint_desc hint, attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_deconvolution};
    return create_backward<impl::deconvolution_desc>(call, hint, [&](auto *) {
        return impl::make_deconvolution_desc(dnnl_backward_weights, alg,
            {src, diff_weights, diff_bias, diff_dst}, {strides, dilates, padding_l, padding_r});
    });
}

// ---- Inner product and matrix multiplication ----

dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, tensor src, tensor weights, tensor bias, tensor dst, attributes attr) {
    return create_forward({out, engine, attr, dnnl_inner_product}, prop, [&] {
        return impl::make_inner_product_desc(prop, {src, weights, bias, dst});
    });
}

dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, tensor diff_src, tensor weights, tensor diff_dst, hint_desc hint,
    attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_inner_product};
    return create_backward<impl::inner_product_desc>(call, hint, [&](auto *) {
        return impl::make_inner_product_desc(
            dnnl_backward_data, {diff_src, weights, nullptr, diff_dst});
    });
}

dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, tensor src, tensor diff_weights, tensor diff_bias, tensor diff_dst,
    hint_desc hint, attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_inner_product};
    return create_backward<impl::inner_product_desc>(call, hint, [&](auto *) {
        return impl::make_inner_product_desc(
            dnnl_backward_weights, {src, diff_weights, diff_bias, diff_dst});
    });
}

dnnl_status_t dnnl_matmul_primitive_desc_create(new_desc out, dnnl_engine_t engine, tensor src,
    tensor weights, tensor bias, tensor dst, attributes attr) {
    return create_primitive_desc({out, engine, attr, dnnl_matmul},
        [&] { return impl::make_matmul_desc(src, weights, bias, dst); });
}

// ---- Images ----

dnnl_status_t dnnl_pooling_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor dst, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, attributes attr) {
    return create_forward({out, engine, attr, dnnl_pooling}, prop, [&] {
        return impl::make_pooling_desc(
            prop, alg, src, dst, kernel, {strides, dilation, padding_l, padding_r}, nullptr);
    });
}

dnnl_status_t dnnl_pooling_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor diff_src, tensor diff_dst, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, hint_desc hint, attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_pooling};
    return create_backward<impl::pooling_desc>(call, hint, [&](auto *forward) {
        return impl::make_pooling_desc(dnnl_backward_data, alg, diff_src, diff_dst, kernel,
            {strides, dilation, padding_l, padding_r}, forward);
    });
}

dnnl_status_t dnnl_resampling_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const float *factors, tensor src, tensor dst,
    attributes attr) {
    return create_forward({out, engine, attr, dnnl_resampling}, prop,
        [&] { return impl::make_resampling_desc(prop, alg, factors, src, dst, nullptr); });
}

dnnl_status_t dnnl_resampling_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, const float *factors, tensor diff_src, tensor diff_dst, hint_desc hint,
    attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_resampling};
    return create_backward<impl::resampling_desc>(call, hint, [&](auto *forward) {
        return impl::make_resampling_desc(
            dnnl_backward_data, alg, factors, diff_src, diff_dst, forward);
    });
}

dnnl_status_t dnnl_lrn_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor dst, dnnl_dim_t local_size,
    float alpha, float beta, float k, attributes attr) {
    return create_forward({out, engine, attr, dnnl_lrn}, prop, [&] {
        return impl::make_lrn_desc(prop, alg, src, dst, nullptr, {local_size, alpha, beta, k});
    });
}

dnnl_status_t dnnl_lrn_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor diff_src, tensor diff_dst, tensor src, dnnl_dim_t local_size,
    float alpha, float beta, float k, hint_desc hint, attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_lrn};
    return create_backward<impl::lrn_desc>(call, hint, [&](auto *) {
        return impl::make_lrn_desc(
            dnnl_backward_data, alg, diff_src, diff_dst, src, {local_size, alpha, beta, k});
    });
}
