// SPDX-License-Identifier: Apache-2.0
// Pooling: its descriptor, checked, and its extents (specification: "Pooling").
#pragma once

#include "common/descriptors/op_desc.hpp"
#include "common/descriptors/spatial.hpp"

namespace dnnl::impl {

/// prop: forward_training, forward_inference, or backward_data; then src is diff_src and dst
/// diff_dst. hint: the descriptor of the forward pass; needed by backward max, whose workspace it
/// carries, otherwise may be null. Max with forward_training has a workspace: dims of dst, u8 when
/// the kernel has fewer than 256 elements, else s32; it holds the position of the maximum in the
/// window, (kd * KH + kh) * KW + kw. Throws error(invalid_arguments) where shapes, kernel, strides,
/// dilations or paddings disagree.
pooling_desc make_pooling_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const dim_t *kernel, const window_parameters &given,
    const pooling_desc *hint);

/// Letters as in convolution_shape; dilation 0 is dense.
struct pooling_shape {
    int spatial_ndims; ///< 1, 2 or 3
    dim_t MB, C;
    dim_t ID, IH, IW, OD, OH, OW;
    dim_t KD, KH, KW, SD, SH, SW;
    dim_t DD, DH, DW;
    dim_t PD, PH, PW;
};
pooling_shape shape_of(const pooling_desc &desc);

} // namespace dnnl::impl
