// SPDX-License-Identifier: Apache-2.0
// Pooling, resampling and local response normalization: their descriptors, checked, and their
// extents (specification: "Pooling", "Resampling", "LRN").
#pragma once

#include "common/descriptors/checks.hpp"
#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

// prop is forward_training, forward_inference or backward_data; then src is diff_src and dst is
// diff_dst. All throw error(invalid_arguments) where shapes and parameters disagree.

/// hint: the descriptor of the forward pass; needed by backward max, whose workspace it carries,
/// otherwise may be null. Max with forward_training has a workspace: dims of dst, u8 when
/// the kernel has fewer than 256 elements, else s32; it holds the position of the maximum in the
/// window, (kd * KH + kh) * KW + kw.
pooling_desc make_pooling_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const dim_t *kernel, const window_parameters &given,
    const pooling_desc *hint);

/// Letters as in convolution_shape; extents of dimensions that there are not are 1.
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

/// What one call is given besides the tensors.
struct lrn_parameters {
    dim_t local_size;
    float alpha, beta, k;
};

/// data: the forward src; forward: null. Throws error(unimplemented) where types or layouts differ.
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

} // namespace dnnl::impl
