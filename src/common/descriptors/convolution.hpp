// SPDX-License-Identifier: Apache-2.0
// Convolution: its descriptor, checked, and its extents in the specification's letters
// (specification: "Convolution and Deconvolution").
#pragma once

#include "common/descriptors/op_desc.hpp"
#include "common/descriptors/spatial.hpp"

namespace dnnl::impl {

/// Tensors of a convolution as the caller passes them; diff_* tensors take the places of theirs.
/// bias may be null or empty.
struct convolution_tensors {
    const memory_desc *src, *weights, *bias, *dst;
};

/// prop: forward_training, forward_inference, backward_data or backward_weights.
/// Throws error(invalid_arguments) where shapes, strides, dilations or paddings disagree.
convolution_desc make_convolution_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const convolution_tensors &tensors, const window_parameters &given);

/// What deconvolution checks alike: takes tensors and window into desc, whose prop is set; refuses
/// ranks, channels and parameters that do not fit. Reasons start with the primitive's name.
void take_tensors_and_window(convolution_desc &desc, const char *primitive,
    const convolution_tensors &tensors, const window_parameters &given);

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
    dim_t PD_R, PH_R, PW_R; ///< padding behind the last one; may be negative
};
convolution_shape shape_of(const convolution_desc &desc);

} // namespace dnnl::impl
