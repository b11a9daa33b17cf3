// SPDX-License-Identifier: Apache-2.0
// What the descriptors of convolution, deconvolution and inner product share; the element types
// that a product may have; inner product and deconvolution; and the convolutions that compute a
// deconvolution or a depthwise post-op (specification: "Inner Product"; "Convolution and
// Deconvolution"; "Post-ops", depthwise).
#pragma once

#include <cstddef>

#include "common/attributes/attributes.hpp"
#include "common/descriptors/checks.hpp"
#include "common/descriptors/op_desc.hpp"
#include "common/layout/data_type.hpp"

namespace dnnl::impl {

/// The tensors of a convolution, deconvolution or inner product as the caller passes them. diff_*
/// tensors take the places of the forward ones. bias may be null or empty.
struct convolution_tensors {
    const memory_desc *src, *weights, *bias, *dst;
};

/// The names of these tensors in reasons.
struct product_tensor_names {
    const char *src = "src", *weights = "weights", *bias = "bias", *dst = "diff_dst";
    explicit product_tensor_names(dnnl_prop_kind_t prop) {
        if (prop == dnnl_backward_data) src = "diff_src";
        if (prop == dnnl_backward_weights) weights = "diff_weights", bias = "diff_bias";
        if (is_forward(prop)) dst = "dst";
    }
};

/// Sets the tensors of desc, whose prop is set, and checks each alone. Reasons name the primitive.
template <class Desc>
void take_product_tensors(Desc &desc, named_primitive primitive, const convolution_tensors &given) {
    const product_tensor_names n(desc.prop);
    const bool forward = is_forward(desc.prop), of_data = desc.prop == dnnl_backward_data;
    const bool of_weights = desc.prop == dnnl_backward_weights;
    const unsigned written = may_be_any | is_written, read = may_be_any;
    desc.src = checked_tensor(primitive, n.src, given.src, of_data ? written : read);
    desc.weights = checked_tensor(primitive, n.weights, given.weights, of_weights ? written : read);
    desc.dst = checked_tensor(primitive, n.dst, given.dst, forward ? written : read);
    if (!is_absent(given.bias))
        desc.bias = checked_tensor(primitive, n.bias, given.bias, of_weights ? written : read);
}

/// Why the types of a convolution or inner product are not supported; null when they are. Operands
/// are integers (s8, u8) with any common type of result and bias, but not for the gradient of
/// weights, or all operands are floats. Forward, floats may be f8, each of its own type, and their
/// result f8, s8 or u8.
const char *product_refusal(const memory_desc &a, const memory_desc &b, const memory_desc &bias,
    const memory_desc &result, dnnl_prop_kind_t prop);

/// The same for the tensors of a convolution, deconvolution or inner product.
template <class Desc> const char *product_refusal(const Desc &op) {
    const bool of_data = op.prop == dnnl_backward_data;
    const bool of_weights = op.prop == dnnl_backward_weights;
    return product_refusal(of_data ? op.dst : op.src, of_weights ? op.dst : op.weights, op.bias,
        of_data      ? op.src
        : of_weights ? op.weights
                     : op.dst,
        op.prop);
}

/// Why the types of a matmul are not supported; null when they are. There are two families: sources
/// of int8 with integer weights, and sources of floats, f8 or f4_e2m1 with weights of floats or f8.
/// A source that is not f8 takes weights of f4_e2m1; a float source takes integers, widened.
const char *matmul_types_refusal(const matmul_desc &desc, const primitive_attr &attr);

// ---- Inner product ----

/// `prop` is forward_training, forward_inference, backward_data or backward_weights. Throws
/// error(invalid_arguments) where shapes disagree.
inner_product_desc make_inner_product_desc(
    dnnl_prop_kind_t prop, const convolution_tensors &tensors);

/// dst[mb][oc] = bias[oc] + sum over ic, id, ih, iw of src[mb][ic][id][ih][iw] *
/// weights[oc][ic][id][ih][iw].
struct inner_product_shape {
    int spatial_ndims; ///< 0 to 3
    dim_t MB, IC, OC;
    dim_t ID, IH, IW; ///< 1 where the tensors lack them
    /// Products per output.
    dim_t K() const { return IC * ID * IH * IW; }
};
inner_product_shape shape_of(const inner_product_desc &desc);

// ---- Deconvolution ----

/// Tensors and window as make_convolution_desc() takes them; for each spatial dimension
/// O = (I - 1) * S + 1 + (K - 1) * (D + 1) - PL - PR.
/// Throws error(invalid_arguments) where shapes, strides, dilations or paddings disagree,
/// error(unimplemented) for the Winograd algorithm.
deconvolution_desc make_deconvolution_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const convolution_tensors &tensors, const window_parameters &given);

/// Weights (G,) O, I, spatial described as (G,) I, O, spatial: the same elements.
memory_desc exchange_channels(const memory_desc &weights, bool has_groups);

/// The convolution from dst to src that computes a deconvolution; its weights have input and output
/// channels exchanged. The deconvolution is its gradient by data, and the deconvolution's gradient
/// by data is its forward pass; both have the same gradient of weights. Only a forward
/// deconvolution hands its bias on, because the bias belongs to the result, which is diff_src.
convolution_desc convolution_of(const deconvolution_desc &desc);

/// Gives the tensors of the deconvolution the layouts of the convolution that computes it.
void take_layouts(deconvolution_desc &desc, const convolution_desc &conv);

// ---- A depthwise convolution as a post-op of a 1x1 convolution ----

/// Index of the first depthwise post-op; the number of entries when there is none.
std::size_t depthwise_index(const post_ops &chain);

/// Why `base` does not take this depthwise post-op; null when it does.
const char *depthwise_refusal(const convolution_desc &base, const depthwise_post_op &op);

/// The depthwise convolution of a post-op. Its source is the destination of `base`, it has one
/// group per channel, and its extents are those of its source divided by the stride and rounded up.
/// Weights and bias come as `any`; dst has the layout of the destination of `base`.
convolution_desc depthwise_convolution(const convolution_desc &base, const depthwise_post_op &op);

/// The attributes of the first convolution: its own scales and the post-ops before `index`.
primitive_attr attributes_before(const primitive_attr &attr, std::size_t index);
/// The attributes of the depthwise convolution: the post-ops after `index`, and as source scale the
/// destination scale of the first convolution.
primitive_attr attributes_after(const primitive_attr &attr, std::size_t index);

} // namespace dnnl::impl
