// SPDX-License-Identifier: Apache-2.0
// The descriptor of deconvolution, and the convolutions that a deconvolution or a depthwise post-op
// stands for (specification: "Convolution and Deconvolution"; "Post-ops", depthwise).
#pragma once

#include <cstddef>

#include "common/attributes/attributes.hpp"
#include "common/descriptors/convolution.hpp"

namespace dnnl::impl {

// ---- Deconvolution ----

/// Tensors and window as make_convolution_desc() takes them; for each spatial dimension
/// O = (I - 1) * S + 1 + (K - 1) * (D + 1) - PL - PR.
/// Throws error(invalid_arguments) where shapes, strides, dilations or paddings disagree,
/// error(unimplemented) for the Winograd algorithm.
deconvolution_desc make_deconvolution_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const convolution_tensors &tensors, const window_parameters &given);

/// Weights (G,) O, I, spatial as (G,) I, O, spatial: other names for the same elements.
memory_desc exchange_channels(const memory_desc &weights, bool has_groups);

/// The convolution from dst to src of the deconvolution; its weights have input and output channels
/// exchanged. The deconvolution is its gradient by data, the gradient by data of the deconvolution
/// is its forward pass, the gradient of weights is its own. Only a forward
/// deconvolution hands its bias on: it belongs to the result, which is diff_src.
convolution_desc convolution_of(const deconvolution_desc &desc);

/// Gives the tensors of the deconvolution the layouts of the convolution that computes it.
void take_layouts(deconvolution_desc &desc, const convolution_desc &conv);

// ---- A depthwise convolution as a post-op of a 1x1 convolution ----

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
