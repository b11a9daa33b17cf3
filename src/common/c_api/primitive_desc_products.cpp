// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of convolution, deconvolution, inner product, matmul and attention.
#include "common/c_api/create.hpp"
#include "common/descriptors/products/shapes.hpp"
#include "dnnl/dnnl_ext.h"

using tensors = impl::convolution_tensors;
using window = impl::window_parameters;

// ---- Convolution and deconvolution ----

#define DNNL_CONVOLUTION_CREATE(name)                                                              \
    dnnl_status_t dnnl_##name##_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,  \
        dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor weights, tensor bias,       \
        tensor dst, spatial strides, spatial dilates, spatial padding_l, spatial padding_r,        \
        attributes attr) {                                                                         \
        return create_forward({out, engine, attr}, impl::make_##name##_desc, prop, alg,            \
            tensors {src, weights, bias, dst}, window {strides, dilates, padding_l, padding_r});   \
    }                                                                                              \
    dnnl_status_t dnnl_##name##_backward_data_primitive_desc_create(new_desc out,                  \
        dnnl_engine_t engine, dnnl_alg_kind_t alg, tensor diff_src, tensor weights,                \
        tensor diff_dst, spatial strides, spatial dilates, spatial padding_l, spatial padding_r,   \
        hint_desc hint, attributes attr) {                                                         \
        return create_backward({out, engine, attr}, hint, impl::make_##name##_desc,                \
            dnnl_backward_data, alg, tensors {diff_src, weights, nullptr, diff_dst},               \
            window {strides, dilates, padding_l, padding_r});                                      \
    }                                                                                              \
    dnnl_status_t dnnl_##name##_backward_weights_primitive_desc_create(new_desc out,               \
        dnnl_engine_t engine, dnnl_alg_kind_t alg, tensor src, tensor diff_weights,                \
        tensor diff_bias, tensor diff_dst, spatial strides, spatial dilates, spatial padding_l,    \
        spatial padding_r, hint_desc hint, attributes attr) {                                      \
        return create_backward({out, engine, attr}, hint, impl::make_##name##_desc,                \
            dnnl_backward_weights, alg, tensors {src, diff_weights, diff_bias, diff_dst},          \
            window {strides, dilates, padding_l, padding_r});                                      \
    }
DNNL_CONVOLUTION_CREATE(convolution)
DNNL_CONVOLUTION_CREATE(deconvolution)

// ---- Inner product, matrix multiplication and attention ----

dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, tensor src, tensor weights, tensor bias, tensor dst, attributes attr) {
    return create_forward({out, engine, attr}, impl::make_inner_product_desc, prop,
        tensors {src, weights, bias, dst});
}

dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, tensor diff_src, tensor weights, tensor diff_dst, hint_desc hint,
    attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_inner_product_desc,
        dnnl_backward_data, tensors {diff_src, weights, nullptr, diff_dst});
}

dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, tensor src, tensor diff_weights, tensor diff_bias, tensor diff_dst,
    hint_desc hint, attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_inner_product_desc,
        dnnl_backward_weights, tensors {src, diff_weights, diff_bias, diff_dst});
}

dnnl_status_t dnnl_matmul_primitive_desc_create(new_desc out, dnnl_engine_t engine, tensor src,
    tensor weights, tensor bias, tensor dst, attributes attr) {
    return create_primitive_desc(
        {out, engine, attr}, [&] { return impl::make_matmul_desc(src, weights, bias, dst); });
}

dnnl_status_t dnnl_ext_attention_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    tensor queries, tensor keys, tensor values, tensor mask, tensor dst, float scale,
    unsigned flags, attributes attr) {
    return create_primitive_desc({out, engine, attr}, [&] {
        return impl::make_attention_desc({queries, keys, values, mask, dst}, scale, flags);
    });
}
