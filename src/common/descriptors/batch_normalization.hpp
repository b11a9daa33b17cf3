// SPDX-License-Identifier: Apache-2.0
// Batch normalization: its descriptor, checked (specification: "Batch Normalization").
#pragma once

#include "common/descriptors/normalization.hpp"

namespace dnnl::impl {

/// hint: the forward pass, for backward; needed where a relu is fused, whose workspace it carries.
/// Throws error(invalid_arguments) where shapes, flags or the hint disagree, error(unimplemented)
/// for a fused relu without a hint and for fuse_norm_add_relu.
batch_normalization_desc make_batch_normalization_desc(
    const normalization_request &request, const batch_normalization_desc *hint);

} // namespace dnnl::impl
