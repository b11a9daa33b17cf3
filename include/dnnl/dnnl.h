// SPDX-License-Identifier: Apache-2.0
// C API: memory, attributes, primitive descriptors, primitives, service, GEMM.
#ifndef ONEAPI_DNNL_DNNL_H
#define ONEAPI_DNNL_DNNL_H

#include "dnnl/dnnl_common.h"
#include "dnnl/dnnl_config.h"
#include "dnnl/dnnl_types.h"
#include "dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Memory descriptors ----

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_desc_clone(
    dnnl_memory_desc_t *memory_desc, const_dnnl_memory_desc_t existing_memory_desc);

/// Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_get_blob(
    uint8_t *blob, size_t *size, const_dnnl_memory_desc_t memory_desc);

/// Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_blob(
    dnnl_memory_desc_t *memory_desc, const uint8_t *blob);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *memory_desc,
    int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, const dnnl_dims_t strides);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *memory_desc, int ndims,
    const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_format_tag_t tag);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t *memory_desc,
    const_dnnl_memory_desc_t parent_memory_desc, const dnnl_dims_t dims, const dnnl_dims_t offsets);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_desc_reshape(dnnl_memory_desc_t *out_memory_desc,
    const_dnnl_memory_desc_t in_memory_desc, int ndims, const dnnl_dims_t dims);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_desc_permute_axes(dnnl_memory_desc_t *out_memory_desc,
    const_dnnl_memory_desc_t in_memory_desc, const int *permutation);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_desc_query(
    const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void *result);

/// Specification: yes.
DNNL_API int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs);

/// Specification: yes.
DNNL_API size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc);

/// Extension.
DNNL_API size_t dnnl_data_type_size(dnnl_data_type_t data_type);

#ifdef DNNL_EXPERIMENTAL_SPARSE
/// Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t *memory_desc,
    int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
    dnnl_data_type_t indices_dt, dnnl_data_type_t pointers_dt);

/// Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t *memory_desc,
    int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
    dnnl_data_type_t indices_dt);

/// Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t *memory_desc,
    int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz);

/// Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_query_v2(
    const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, int index, void *result);

/// Extension.
DNNL_API size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index);
#endif

// ---- Memory objects ----

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory,
    const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine, void *handle);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_get_memory_desc(
    const_dnnl_memory_t memory, const_dnnl_memory_desc_t *memory_desc);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t *engine);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void **mapped_ptr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void *mapped_ptr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void **handle);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory);

#ifdef DNNL_EXPERIMENTAL_SPARSE
/// Extension.
DNNL_API dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t *memory,
    const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine, int nhandles, void **handles);

/// Extension.
DNNL_API dnnl_status_t dnnl_memory_map_data_v2(
    const_dnnl_memory_t memory, void **mapped_ptr, int index);

/// Extension.
DNNL_API dnnl_status_t dnnl_memory_unmap_data_v2(
    const_dnnl_memory_t memory, void *mapped_ptr, int index);

/// Extension.
DNNL_API dnnl_status_t dnnl_memory_get_data_handle_v2(
    const_dnnl_memory_t memory, void **handle, int index);

/// Extension.
DNNL_API dnnl_status_t dnnl_memory_set_data_handle_v2(
    dnnl_memory_t memory, void *handle, int index);
#endif

// ---- Primitive attributes ----

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_clone(
    dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing_attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_dropout(
    const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *dropout_desc);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_dropout(
    dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t dropout_desc);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(
    const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(
    dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(
    const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode, int *apply_to_int);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(
    dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode, int apply_to_int);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_deterministic(
    const_dnnl_primitive_attr_t attr, int *value);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(
    const_dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t *mode);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(
    dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(
    const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t *mode);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(
    dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_mask(
    dnnl_primitive_attr_t attr, int arg, int mask);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask,
    int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(
    dnnl_primitive_attr_t attr, int arg, int mask);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg,
    int mask, int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rounding(
    dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rounding(
    dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t *mode);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_post_ops(
    const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t *post_ops);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_post_ops(
    dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(
    dnnl_primitive_attr_t attr, const float scale, const float shift);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(
    const_dnnl_primitive_attr_t attr, float *scale, float *shift);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_qparams(
    dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_qparams(
    const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(
    dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(
    const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales);

// ---- Post-ops ----

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t *post_ops);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_post_ops_clone(
    dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing_post_ops);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops);

/// Specification: yes.
DNNL_API int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops);

/// Specification: yes.
DNNL_API dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_post_ops_append_sum(
    dnnl_post_ops_t post_ops, float scale, int32_t zero_point, dnnl_data_type_t data_type);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index,
    float *scale, int32_t *zero_point, dnnl_data_type_t *data_type);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_post_ops_append_eltwise(
    dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, float alpha, float beta);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops, int index,
    dnnl_alg_kind_t *alg_kind, float *alpha, float *beta);

/// Extension.
DNNL_API dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops,
    dnnl_data_type_t weights_data_type, dnnl_data_type_t bias_data_type,
    dnnl_data_type_t dst_data_type, dnnl_dim_t kernel_size, dnnl_dim_t stride_size,
    dnnl_dim_t padding_l_size);

/// Extension.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
    dnnl_data_type_t *weights_data_type, dnnl_data_type_t *bias_data_type,
    dnnl_data_type_t *dst_data_type, dnnl_dim_t *kernel_size, dnnl_dim_t *stride_size,
    dnnl_dim_t *padding_l_size);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_post_ops_append_binary(
    dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
    dnnl_alg_kind_t *alg_kind, const_dnnl_memory_desc_t *src1_desc);

/// Extension.
DNNL_API dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask);

/// Extension.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_prelu(
    const_dnnl_post_ops_t post_ops, int index, int *mask);

// ---- Primitive descriptors and primitives ----

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t primitive_desc);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_desc_clone(
    dnnl_primitive_desc_t *primitive_desc, const_dnnl_primitive_desc_t existing_primitive_desc);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_desc_get_attr(
    const_dnnl_primitive_desc_t primitive_desc, const_dnnl_primitive_attr_t *attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_desc_query(
    const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index, void *result);

/// Specification: yes.
DNNL_API const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(
    const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index);

/// Extension.
DNNL_API int dnnl_primitive_desc_query_s32(
    const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_create(
    dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t primitive_desc);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t *primitive,
    const_dnnl_primitive_desc_t primitive_desc, size_t size, const uint8_t *cache_blob);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_execute(
    const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_get_primitive_desc(
    const_dnnl_primitive_t primitive, const_dnnl_primitive_desc_t *primitive_desc);

/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_get_cache_blob(
    const_dnnl_primitive_t primitive, size_t *size, uint8_t *cache_blob);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive);

// ---- Data movement and elementwise ----

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_reorder_primitive_desc_create(
    dnnl_primitive_desc_t *reorder_primitive_desc, const_dnnl_memory_desc_t src_desc,
    dnnl_engine_t src_engine, const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_concat_primitive_desc_create(
    dnnl_primitive_desc_t *concat_primitive_desc, dnnl_engine_t engine,
    const_dnnl_memory_desc_t dst_desc, int n, int concat_dimension,
    const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t *sum_primitive_desc,
    dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n, const float *scales,
    const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
    const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t attr);

/// Extension.
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create_v2(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
    const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, int axis,
    dnnl_dim_t group_size, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, int axis,
    dnnl_dim_t group_size, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    float alpha, float beta, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t data_desc, float alpha, float beta,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_softmax_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    int softmax_axis, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_softmax_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t dst_desc, int softmax_axis, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_prelu_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_prelu_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_resampling_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const float *factors, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_resampling_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const float *factors, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t dst_desc, float p, float eps, const_dnnl_primitive_attr_t attr);

// ---- Convolution, deconvolution, inner product, matmul ----

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_deconvolution_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_deconvolution_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_deconvolution_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t attr);

// ---- Pooling and normalization ----

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_pooling_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    const dnnl_dims_t strides, const dnnl_dims_t kernel, const dnnl_dims_t dilation,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_pooling_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const dnnl_dims_t strides, const dnnl_dims_t kernel, const dnnl_dims_t dilation,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_lrn_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t local_size,
    float alpha, float beta, float k, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_lrn_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, dnnl_dim_t local_size, float alpha, float beta, float k,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float epsilon,
    unsigned flags, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, float epsilon, unsigned flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Extension.
DNNL_API dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups,
    float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Extension.
DNNL_API dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, dnnl_dim_t groups, float epsilon, unsigned flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Extension.
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned flags,
    const_dnnl_primitive_attr_t attr);

/// Extension.
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc, float epsilon,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_memory_desc_t stat_desc, dnnl_data_type_t scale_shift_data_type, float epsilon,
    unsigned flags, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc,
    dnnl_data_type_t diff_scale_shift_data_type, dnnl_data_type_t scale_shift_data_type,
    float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

// ---- RNN ----

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, float alpha, float beta,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_vanilla_rnn_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, float alpha, float beta, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_lstm_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t src_iter_c_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t weights_peephole_desc,
    const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t dst_iter_c_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_lstm_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t src_iter_c_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t weights_peephole_desc,
    const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t dst_iter_c_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_src_iter_c_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc,
    const_dnnl_memory_desc_t diff_weights_peephole_desc,
    const_dnnl_memory_desc_t diff_weights_projection_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    const_dnnl_memory_desc_t diff_dst_iter_c_desc, unsigned flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_gru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_gru_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_lbr_gru_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,
    const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_lbr_gru_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_augru_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_attention_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_lbr_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_lbr_augru_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_attention_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

// ---- Primitive cache ----

/// Extension.
DNNL_API dnnl_status_t dnnl_get_primitive_cache_capacity(int *capacity);

/// Extension.
DNNL_API dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity);

// ---- Service ----

/// Extension.
DNNL_API dnnl_status_t dnnl_set_jit_dump(int enable);

/// Extension.
DNNL_API dnnl_status_t dnnl_set_jit_profiling_flags(unsigned flags);

/// Extension.
DNNL_API dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char *dir);

/// Extension.
DNNL_API dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa);

/// Extension.
DNNL_API dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void);

/// Extension.
DNNL_API dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints);

/// Extension.
DNNL_API dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints(void);

#ifdef DNNL_EXPERIMENTAL_PROFILING
/// Extension.
DNNL_API dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream);

/// Extension.
DNNL_API dnnl_status_t dnnl_query_profiling_data(
    dnnl_stream_t stream, dnnl_profiling_data_kind_t data_kind, int *num_entries, uint64_t *data);
#endif

// ---- BLAS-like ----

/// Extension.
DNNL_API dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
    dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb,
    float beta, float *C, dnnl_dim_t ldc);

/// Extension.
DNNL_API dnnl_status_t dnnl_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
    dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda, uint8_t ao,
    const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
    const int32_t *co);

/// Extension.
DNNL_API dnnl_status_t dnnl_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
    dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda, int8_t ao,
    const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
    const int32_t *co);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_H
