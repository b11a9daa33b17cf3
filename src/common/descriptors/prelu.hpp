// SPDX-License-Identifier: Apache-2.0
// PReLU: its descriptor, checked (specification: "PReLU").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

struct prelu_tensors {
    const memory_desc *src, *weights, *dst;                         ///< backward: dst is diff_dst
    const memory_desc *diff_src = nullptr, *diff_weights = nullptr; ///< backward only
};

/// prop: forward_training, forward_inference or backward. Each dimension of weights is src's or 1;
/// diff_weights has the dims of weights, the other tensors those of src. Throws
/// error(invalid_arguments) where shapes disagree, error(unimplemented) where src, dst and their
/// gradients differ in type, or dst from src in layout.
prelu_desc make_prelu_desc(dnnl_prop_kind_t prop, const prelu_tensors &tensors);

} // namespace dnnl::impl
