// SPDX-License-Identifier: Apache-2.0
// Convolution and deconvolution: their descriptors, checked, their extents in the specification's
// letters, and the convolutions that a deconvolution or a depthwise post-op stands for
// (specification: "Convolution and Deconvolution"; "Post-ops", depthwise).
#pragma once

#include <cstddef>

#include "common/attributes/attributes.hpp"
#include "common/descriptors/op_desc.hpp"
#include "common/descriptors/products.hpp"
#include "common/descriptors/spatial.hpp"

namespace dnnl::impl {

// ---- Convolution ----

/// prop: forward_training, forward_inference, backward_data or backward_weights.
/// Throws error(invalid_arguments) where shapes, strides, dilations or paddings disagree.
convolution_desc make_convolution_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const convolution_tensors &tensors, const window_parameters &given);

/// The checks that convolution and deconvolution share: sets the tensors and the window of desc,
/// whose prop is set already, and throws error(invalid_arguments) where ranks, channels or window
/// parameters do not fit. Reasons start with the primitive's name.
void take_tensors_and_window(convolution_desc &desc, named_primitive primitive,
    const convolution_tensors &tensors, const window_parameters &given);

/// Layouts for tensors that came as `any`: src and dst follow each other, weights are row-major.
void default_convolution_layouts(convolution_desc &desc);
/// The extents in verbose lines, `g2mb1_ic4oc6_ih8oh8kh3sh1dh0ph1...`.
std::string convolution_text(const convolution_desc &desc);

/// dst[mb][g * OC + oc][od][oh][ow] = bias[g * OC + oc] + sum over ic, kd, kh, kw of
///     src[mb][g * IC + ic][od * SD + kd * (DD + 1) - PD][...][...] *
///     weights[g][oc][ic][kd][kh][kw].
/// Spatial dimensions that a 1-D or 2-D convolution lacks have extent 1, stride 1, dilation 0,
/// padding 0.
struct convolution_shape {
    int spatial_ndims; ///< 1, 2 or 3
    bool has_groups;   ///< weights have the leading dimension G
    dim_t MB, G;
    dim_t IC, OC; ///< channels per group
    dim_t ID, IH, IW, OD, OH, OW;
    dim_t KD, KH, KW, SD, SH, SW;
    dim_t DD, DH, DW;       ///< dilation, 0 is dense
    dim_t PD, PH, PW;       ///< padding before the first element
    dim_t PD_R, PH_R, PW_R; ///< padding after the last one; may be negative
};
convolution_shape shape_of(const convolution_desc &desc);

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
