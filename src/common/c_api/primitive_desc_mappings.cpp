// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of all primitives but products and recurrent networks, which map
// tensors to tensors element by element or window by window.
#include "common/c_api/create.hpp"
#include "common/descriptors/mappings/mappings.hpp"

// ---- Elementwise ----

dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor dst, float alpha, float beta,
    attributes attr) {
    return create_forward(
        {out, engine, attr}, impl::make_eltwise_desc, prop, alg, src, dst, nullptr, alpha, beta);
}

dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor diff_src, tensor diff_dst, tensor data, float alpha, float beta,
    hint_desc hint, attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_eltwise_desc, dnnl_backward_data,
        alg, diff_src, diff_dst, data, alpha, beta);
}

dnnl_status_t dnnl_binary_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor src0, tensor src1, tensor dst, attributes attr) {
    return create_primitive_desc({out, engine, attr}, [&] {
        require(alg != dnnl_binary_select, "binary: alg_kind: select needs a third source");
        return impl::make_binary_desc(alg, {src0, src1, nullptr, dst});
    });
}

dnnl_status_t dnnl_binary_primitive_desc_create_v2(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor src0, tensor src1, tensor src2, tensor dst, attributes attr) {
    return create_primitive_desc({out, engine, attr}, [&] {
        return impl::make_binary_desc(alg, {src0, src1, src2, dst});
    });
}

dnnl_status_t dnnl_prelu_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, tensor src, tensor weights, tensor dst, attributes attr) {
    return create_forward(
        {out, engine, attr}, impl::make_prelu_desc, prop, impl::prelu_tensors {src, weights, dst});
}

dnnl_status_t dnnl_prelu_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    tensor src, tensor weights, tensor diff_src, tensor diff_weights, tensor diff_dst,
    hint_desc hint, attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_prelu_desc, dnnl_backward,
        impl::prelu_tensors {src, weights, diff_dst, diff_src, diff_weights});
}

dnnl_status_t dnnl_softmax_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor dst, int axis, attributes attr) {
    return create_forward(
        {out, engine, attr}, impl::make_softmax_desc, prop, alg, src, dst, nullptr, axis);
}

dnnl_status_t dnnl_softmax_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor diff_src, tensor diff_dst, tensor dst, int axis, hint_desc hint,
    attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_softmax_desc, dnnl_backward_data,
        alg, diff_src, diff_dst, dst, axis);
}

dnnl_status_t dnnl_reduction_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor src, tensor dst, float p, float eps, attributes attr) {
    return create_primitive_desc(
        {out, engine, attr}, [&] { return impl::make_reduction_desc(alg, src, dst, p, eps); });
}

// ---- Movement of elements ----

dnnl_status_t dnnl_reorder_primitive_desc_create(new_desc out, tensor src, dnnl_engine_t src_engine,
    tensor dst, dnnl_engine_t dst_engine, attributes attr) {
    return create_primitive_desc({out, src_engine, attr, dst_engine}, [&] {
        require(dst_engine, "reorder: dst_engine: must not be NULL");
        return impl::make_reorder_desc(src, dst);
    });
}

dnnl_status_t dnnl_concat_primitive_desc_create(new_desc out, dnnl_engine_t engine, tensor dst,
    int n, int axis, tensor const *srcs, attributes attr) {
    return create_primitive_desc(
        {out, engine, attr}, [&] { return impl::make_concat_desc(dst, n, axis, srcs); });
}

dnnl_status_t dnnl_sum_primitive_desc_create(new_desc out, dnnl_engine_t engine, tensor dst, int n,
    const float *scales, tensor const *srcs, attributes attr) {
    return create_primitive_desc(
        {out, engine, attr}, [&] { return impl::make_sum_desc(dst, n, scales, srcs); });
}

dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, tensor src, tensor dst, int axis, dnnl_dim_t group_size,
    attributes attr) {
    return create_forward(
        {out, engine, attr}, impl::make_shuffle_desc, prop, src, dst, axis, group_size);
}

dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    tensor diff_src, tensor diff_dst, int axis, dnnl_dim_t group_size, hint_desc hint,
    attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_shuffle_desc, dnnl_backward_data,
        diff_src, diff_dst, axis, group_size);
}

// ---- Images ----

dnnl_status_t dnnl_pooling_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor dst, spatial strides,
    spatial kernel, spatial dilation, spatial padding_l, spatial padding_r, attributes attr) {
    return create_forward({out, engine, attr}, impl::make_pooling_desc, prop, alg, src, dst, kernel,
        impl::window_parameters {strides, dilation, padding_l, padding_r});
}

dnnl_status_t dnnl_pooling_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor diff_src, tensor diff_dst, spatial strides, spatial kernel,
    spatial dilation, spatial padding_l, spatial padding_r, hint_desc hint, attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_pooling_desc, dnnl_backward_data,
        alg, diff_src, diff_dst, kernel,
        impl::window_parameters {strides, dilation, padding_l, padding_r});
}

dnnl_status_t dnnl_resampling_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const float *factors, tensor src, tensor dst,
    attributes attr) {
    return create_forward(
        {out, engine, attr}, impl::make_resampling_desc, prop, alg, factors, src, dst);
}

dnnl_status_t dnnl_resampling_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, const float *factors, tensor diff_src, tensor diff_dst, hint_desc hint,
    attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_resampling_desc,
        dnnl_backward_data, alg, factors, diff_src, diff_dst);
}

dnnl_status_t dnnl_lrn_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor dst, dnnl_dim_t local_size,
    float alpha, float beta, float k, attributes attr) {
    return create_forward({out, engine, attr}, impl::make_lrn_desc, prop, alg, src, dst, nullptr,
        impl::lrn_parameters {local_size, alpha, beta, k});
}

dnnl_status_t dnnl_lrn_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor diff_src, tensor diff_dst, tensor src, dnnl_dim_t local_size,
    float alpha, float beta, float k, hint_desc hint, attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_lrn_desc, dnnl_backward_data, alg,
        diff_src, diff_dst, src, impl::lrn_parameters {local_size, alpha, beta, k});
}

// ---- Normalization ----

using norm = impl::normalization_request;
using types = impl::layer_normalization_types;

dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor src, tensor dst, float epsilon,
    unsigned flags, attributes attr) {
    return create_forward({out, engine, attr}, impl::make_batch_normalization_desc, prop,
        norm {src, dst, nullptr, epsilon, flags});
}

dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor diff_src, tensor diff_dst, tensor src,
    float epsilon, unsigned flags, hint_desc hint, attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_batch_normalization_desc, prop,
        norm {diff_src, diff_dst, src, epsilon, flags});
}

dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor src, tensor dst, dnnl_dim_t groups,
    float epsilon, unsigned flags, attributes attr) {
    return create_forward({out, engine, attr}, impl::make_group_normalization_desc, prop,
        norm {src, dst, nullptr, epsilon, flags}, groups);
}

dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor diff_src, tensor diff_dst, tensor src,
    dnnl_dim_t groups, float epsilon, unsigned flags, hint_desc hint, attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_group_normalization_desc, prop,
        norm {diff_src, diff_dst, src, epsilon, flags}, groups);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor src, tensor dst, tensor statistics,
    float epsilon, unsigned flags, attributes attr) {
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(
        out, engine, prop, src, dst, statistics, dnnl_f32, epsilon, flags, attr);
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor diff_src, tensor diff_dst, tensor src,
    tensor statistics, float epsilon, unsigned flags, hint_desc hint, attributes attr) {
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(out, engine, prop, diff_src,
        diff_dst, src, statistics, dnnl_f32, dnnl_f32, epsilon, flags, hint, attr);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor src, tensor dst, tensor statistics,
    dnnl_data_type_t scale_shift, float epsilon, unsigned flags, attributes attr) {
    return create_forward({out, engine, attr}, impl::make_layer_normalization_desc, prop,
        norm {src, dst, nullptr, epsilon, flags},
        types {statistics, static_cast<data_type>(scale_shift)});
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor diff_src, tensor diff_dst, tensor src,
    tensor statistics, dnnl_data_type_t diff_scale_shift, dnnl_data_type_t scale_shift,
    float epsilon, unsigned flags, hint_desc hint, attributes attr) {
    return create_backward({out, engine, attr}, hint, impl::make_layer_normalization_desc, prop,
        norm {diff_src, diff_dst, src, epsilon, flags},
        types {statistics, static_cast<data_type>(scale_shift),
            static_cast<data_type>(diff_scale_shift)});
}
