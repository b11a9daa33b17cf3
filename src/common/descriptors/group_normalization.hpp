// SPDX-License-Identifier: Apache-2.0
// Group normalization: its descriptor, checked.
#pragma once

#include "common/descriptors/normalization.hpp"

namespace dnnl::impl {

/// hint: the forward pass, for backward, or null. Throws error(invalid_arguments) where shapes,
/// groups, flags or the hint disagree.
group_normalization_desc make_group_normalization_desc(
    const normalization_request &request, dim_t groups, const group_normalization_desc *hint);

} // namespace dnnl::impl
