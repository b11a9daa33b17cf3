// SPDX-License-Identifier: Apache-2.0
// Checked descriptors of all primitives but products and recurrent networks, and their extents
// (specification: the sections of their names). prop is forward_training, forward_inference or a
// backward kind. Backward, src stands for diff_src (but in prelu) and dst for diff_dst. All
// functions throw error(invalid_arguments) where shapes and parameters disagree.
#pragma once

#include "common/descriptors/checks.hpp"
#include "common/descriptors/problem.hpp"

namespace dnnl::impl {

// ---- Elementwise (elementwise.cpp) ----

/// True for the algorithms of eltwise, the *_use_dst_for_bwd kinds included.
bool is_eltwise_algorithm(dnnl_alg_kind_t alg);
/// True for those that clip to [alpha, beta].
bool is_clip(dnnl_alg_kind_t alg);

/// `data` is src, or dst for the *_use_dst_for_bwd kinds; forward it is null.
eltwise_desc make_eltwise_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, float alpha, float beta);

/// True for the algorithms of binary, select included.
bool is_binary_algorithm(dnnl_alg_kind_t alg);

struct binary_tensors {
    const memory_desc *src0, *src1, *src2, *dst; ///< src2: for select, otherwise ignored
};

/// dst = alg(src0, src1), each source dim equal to dst's or 1; select: src2 != 0 ? src0 : src1 with
/// src2 s8 of src0's dims.
binary_desc make_binary_desc(dnnl_alg_kind_t alg, const binary_tensors &tensors);

struct prelu_tensors {
    const memory_desc *src, *weights, *dst;                         ///< backward: dst is diff_dst
    const memory_desc *diff_src = nullptr, *diff_weights = nullptr; ///< backward only
};

/// Each dimension of weights is src's or 1; diff_weights has the dims of weights, the other tensors
/// those of src. Throws error(unimplemented) where src, dst and their gradients differ in type, or
/// dst from src in layout.
prelu_desc make_prelu_desc(dnnl_prop_kind_t prop, const prelu_tensors &tensors);

/// `data` is the forward dst; forward it is null.
softmax_desc make_softmax_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, int axis);

/// The logical tensor as [outer][axis][inner], row-major.
struct softmax_shape {
    dim_t outer, axis, inner;
};
softmax_shape shape_of(const softmax_desc &desc);

/// True for the algorithms norm_lp_*.
bool is_norm(dnnl_alg_kind_t alg);

/// dst has src's dims, or 1 where they are reduced; at least one is. Norms read p >= 1, epsilon.
reduction_desc make_reduction_desc(
    dnnl_alg_kind_t alg, const memory_desc *src, const memory_desc *dst, float p, float epsilon);

/// True when dimension d is reduced.
inline bool is_reduced(const reduction_desc &desc, int d) {
    return desc.dst.dims[d] != desc.src.dims[d];
}

/// The number of elements that are reduced to one element of dst; 0 for an empty reduction.
dim_t reduced_count(const reduction_desc &desc);

// ---- Movement of elements (movement.cpp) ----

reorder_desc make_reorder_desc(const memory_desc *src, const memory_desc *dst);

/// Why no implementation takes a reorder: its pair of types has no conversion, or it has other
/// post-ops than one sum without a zero point. Null when one does.
const char *reorder_refusal(const problem &p);

/// dst holds the n sources one after the other along the axis. dst may be null or empty: then it
/// has the sources' type and layout `any`.
concat_desc make_concat_desc(
    const memory_desc *dst, int n, int axis, const memory_desc *const *srcs);

/// dst = sum over i of scales[i] * srcs[i], i < n. dst may be null or empty: then it has the dims
/// and type of srcs[0], layout `any`.
sum_desc make_sum_desc(
    const memory_desc *dst, int n, const float *scales, const memory_desc *const *srcs);

/// `hint` is the forward pass, whose layouts replace `any`; it may be null. Throws
/// error(unimplemented) where types or layouts differ.
shuffle_desc make_shuffle_desc(dnnl_prop_kind_t prop, const memory_desc *src,
    const memory_desc *dst, int axis, dim_t group_size, const shuffle_desc *hint);

/// Shuffle as a transposition of the axis, seen as a matrix of rows x columns: dst index u + v *
/// rows is src index u * columns + v. Backward exchanges rows and columns, so that diff_dst is read
/// and diff_src is written by the same code.
struct shuffle_matrix {
    dim_t rows, columns;
};
shuffle_matrix matrix_of(const shuffle_desc &desc);

// ---- Images (pooling.cpp) ----

/// hint: the descriptor of the forward pass; needed by backward max, whose workspace it carries,
/// otherwise may be null. Max with forward_training has a workspace: dims of dst, u8 when
/// the kernel has fewer than 256 elements, else s32; it holds the position of the maximum in the
/// window, (kd * KH + kh) * KW + kw.
pooling_desc make_pooling_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const dim_t *kernel, const window_parameters &given,
    const pooling_desc *hint);

/// The extents of an image, in the letters of convolution_shape; 1 where a tensor lacks them.
struct image_extents {
    int spatial_ndims; ///< 1, 2 or 3
    dim_t MB, C;
    dim_t ID, IH, IW, OD, OH, OW;
};
/// Dilation 0 is dense.
struct pooling_shape : image_extents {
    dim_t KD, KH, KW, SD, SH, SW;
    dim_t DD, DH, DW;
    dim_t PD, PH, PW;
};
pooling_shape shape_of(const pooling_desc &desc);

/// factors: one per spatial dimension or null; they give the extents O = floor(I *
/// factor) of dst where dst is null, and must otherwise lead to extents that differ from dst's by
/// less than one. hint: the descriptor of the forward pass, may be null.
resampling_desc make_resampling_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const float *factors, const memory_desc *src, const memory_desc *dst,
    const resampling_desc *hint);

using resampling_shape = image_extents;
resampling_shape shape_of(const resampling_desc &desc);

/// The parameters of a call besides its tensors.
struct lrn_parameters {
    dim_t local_size;
    float alpha, beta, k;
};

/// `data`: forward's src, null in forward. Throws error(unimplemented) for other types and layouts.
lrn_desc make_lrn_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, const lrn_parameters &given);

/// The logical tensor (N, C, spatial) and its windows: `half` elements on both sides along the
/// channels, or along each spatial dimension. Spatial dimensions that the tensor lacks are 1.
struct lrn_shape {
    int spatial_ndims;
    dim_t MB, C, D, H, W;
    bool across;
    dim_t half;
    /// alpha / n with n the window's nominal number of elements: local_size, or its power.
    double factor;
};
lrn_shape shape_of(const lrn_desc &desc);

// ---- Normalization (normalization.cpp) ----

/// The parameters that the creation functions of the three normalizations share. `data` is the
/// forward src; forward it is null.
struct normalization_request {
    const memory_desc *src, *dst, *data;
    float epsilon;
    unsigned flags;
};

/// `hint` is the forward pass of a backward one; it is needed where a relu is fused, whose
/// workspace it carries. Throws error(unimplemented) for a fused relu without a hint and for
/// fuse_norm_add_relu.
batch_normalization_desc make_batch_normalization_desc(dnnl_prop_kind_t prop,
    const normalization_request &request, const batch_normalization_desc *hint);

/// The parameters of layer normalization alone. `statistics` has the dims of src but the last;
/// absent or `any`, it is laid out like src.
struct layer_normalization_types {
    const memory_desc *statistics;
    data_type scale_shift = data_type::f32, diff_scale_shift = data_type::f32;
};

/// `hint` is the forward pass of a backward one; it may be null, for groups, too.
layer_normalization_desc make_layer_normalization_desc(dnnl_prop_kind_t prop,
    const normalization_request &request, const layer_normalization_types &types,
    const layer_normalization_desc *hint);
group_normalization_desc make_group_normalization_desc(dnnl_prop_kind_t prop,
    const normalization_request &request, dim_t groups, const group_normalization_desc *hint);

/// The dense descriptor of statistics whose elements are in the order of those of `tensor`.
memory_desc statistics_like(const memory_desc &tensor);

/// The forward src: the tensor whose dims the problem has.
inline const memory_desc &source_of(const normalization_desc &desc) {
    return is_forward(desc.prop) ? desc.src : desc.data;
}

/// Why no row takes the types of a layer or group normalization; null when they are fine.
const char *types_refusal(const normalization_desc &desc);
/// The same for batch normalization, with the layouts of its gradients.
const char *types_refusal(const batch_normalization_desc &desc);

} // namespace dnnl::impl
