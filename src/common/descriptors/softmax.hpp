// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax: their descriptor, checked, and its extents (specification: "Softmax").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// prop: forward_training, forward_inference (data null) or backward_data: src is diff_src, dst is
/// diff_dst, data is the forward dst. Throws error(invalid_arguments) where shapes or axis
/// disagree.
softmax_desc make_softmax_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, int axis);

/// The logical tensor as [outer][axis][inner], row-major.
struct softmax_shape {
    dim_t outer, axis, inner;
};
softmax_shape shape_of(const softmax_desc &desc);

} // namespace dnnl::impl
