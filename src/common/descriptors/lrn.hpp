// SPDX-License-Identifier: Apache-2.0
// Local response normalization: its descriptor, checked, and its window (specification: "LRN").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// What one call is given besides the tensors.
struct lrn_parameters {
    dim_t local_size;
    float alpha, beta, k;
};

/// prop: forward_training, forward_inference (data null) or backward_data: src is diff_src, dst is
/// diff_dst, data is the forward src. Throws error(invalid_arguments) where shapes or parameters
/// disagree, error(unimplemented) where types or layouts differ.
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
