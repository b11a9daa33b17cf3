// SPDX-License-Identifier: Apache-2.0
// Layer normalization: its descriptor, checked (specification: "Layer Normalization").
#pragma once

#include "common/descriptors/normalization.hpp"

namespace dnnl::impl {

/// What only this one has. statistics: dims of src but the last; absent or `any`: laid out as src.
struct layer_normalization_types {
    const memory_desc *statistics;
    data_type scale_shift = data_type::f32, diff_scale_shift = data_type::f32;
};

/// hint: the forward pass, for backward, or null. Throws error(invalid_arguments) where shapes,
/// flags or the hint disagree.
layer_normalization_desc make_layer_normalization_desc(const normalization_request &request,
    const layer_normalization_types &types, const layer_normalization_desc *hint);

/// The descriptor of statistics whose elements follow each other as those of `tensor` do, dense.
memory_desc statistics_like(const memory_desc &tensor);

} // namespace dnnl::impl
