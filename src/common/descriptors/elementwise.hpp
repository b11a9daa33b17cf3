// SPDX-License-Identifier: Apache-2.0
// Eltwise, binary, PReLU, softmax and reduction: their descriptors, checked (specification:
// "Elementwise", "Binary", "PReLU", "Softmax", "Reduction").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

// prop is forward_training, forward_inference or a backward kind; then src is diff_src (but of
// prelu) and dst is diff_dst. All throw error(invalid_arguments) where shapes and parameters
// disagree.

/// True for the algorithms of eltwise, the *_use_dst_for_bwd kinds included.
bool is_eltwise_algorithm(dnnl_alg_kind_t alg);
/// True for those that clip to [alpha, beta].
bool is_clip(dnnl_alg_kind_t alg);

/// data: src, or dst for the *_use_dst_for_bwd kinds; forward: null.
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

/// data: the forward dst; forward: null.
softmax_desc make_softmax_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, int axis);

/// The logical tensor as [outer][axis][inner], row-major.
struct softmax_shape {
    dim_t outer, axis, inner;
};
softmax_shape shape_of(const softmax_desc &desc);

/// True for the algorithms norm_lp_*.
bool is_norm(dnnl_alg_kind_t alg);

/// dst has src's dims, or 1 where they are reduced; at least one is. p >= 1 and epsilon are read by
/// norms only.
reduction_desc make_reduction_desc(
    dnnl_alg_kind_t alg, const memory_desc *src, const memory_desc *dst, float p, float epsilon);

/// True when dimension d is reduced.
inline bool is_reduced(const reduction_desc &desc, int d) {
    return desc.dst.dims[d] != desc.src.dims[d];
}

/// The number of elements that are reduced to one element of dst; 0 for an empty reduction.
dim_t reduced_count(const reduction_desc &desc);

} // namespace dnnl::impl
