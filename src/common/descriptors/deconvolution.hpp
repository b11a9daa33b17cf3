// SPDX-License-Identifier: Apache-2.0
// Deconvolution: its descriptor, checked, and the convolution that computes it (specification:
// "Convolution and Deconvolution").
#pragma once

#include "common/descriptors/convolution.hpp"

namespace dnnl::impl {

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
convolution_desc convolution_behind(const deconvolution_desc &desc);

/// Gives the tensors of the deconvolution the layouts of the convolution that computes it.
void take_layouts(deconvolution_desc &desc, const convolution_desc &conv);

} // namespace dnnl::impl
