// SPDX-License-Identifier: Apache-2.0
// A depthwise convolution as a post-op of a 1x1 convolution: the second convolution that it stands
// for and the attributes of either one (specification: "Post-ops", depthwise).
#pragma once

#include <cstddef>

#include "common/attributes/attributes.hpp"
#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// Index of the first depthwise post-op; the number of entries when there is none.
std::size_t depthwise_index(const post_ops &chain);

/// Why `base` does not take this post-op; null when it does.
const char *depthwise_refusal(const convolution_desc &base, const depthwise_post_op &op);

/// The convolution whose source is the destination of `base`: one group per channel, extents
/// divided by the stride and rounded up. Weights and bias come as `any`; dst has the layout of the
/// destination of `base`.
convolution_desc depthwise_convolution(const convolution_desc &base, const depthwise_post_op &op);

/// Attributes of the first convolution: post-ops before `index` and its own scales.
primitive_attr attributes_before(const primitive_attr &attr, std::size_t index);
/// Attributes of the depthwise convolution: post-ops after `index`; the destination scale of the
/// first one is its source scale.
primitive_attr attributes_after(const primitive_attr &attr, std::size_t index);

} // namespace dnnl::impl
