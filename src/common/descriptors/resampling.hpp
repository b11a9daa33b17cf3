// SPDX-License-Identifier: Apache-2.0
// Resampling: its descriptor, checked, and its extents (specification: "Resampling").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// prop: forward_training, forward_inference, or backward_data; then src is diff_src and dst
/// diff_dst. factors: one per spatial dimension or null; they give the extents O = floor(I *
/// factor) of dst where dst is null, and must otherwise lead to extents that differ from dst's by
/// less than one. hint: the descriptor of the forward pass, may be null. Throws
/// error(invalid_arguments) where shapes and factors disagree or there is neither dst nor factors.
resampling_desc make_resampling_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const float *factors, const memory_desc *src, const memory_desc *dst,
    const resampling_desc *hint);

/// Letters as in pooling_shape; extents of dimensions that there are not are 1.
struct resampling_shape {
    int spatial_ndims; ///< 1, 2 or 3
    dim_t MB, C;
    dim_t ID, IH, IW, OD, OH, OW;
};
resampling_shape shape_of(const resampling_desc &desc);

} // namespace dnnl::impl
