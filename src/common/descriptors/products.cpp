// SPDX-License-Identifier: Apache-2.0
// Types of products; checks and facts of inner product.
#include "common/descriptors/products.hpp"

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
constexpr bool is_float_or_f8(data_type t) { return is_float(t) || is_f8(t); }

/// Why a product of floats or of f8 does not have this result or bias; null when it may.
const char *float_result_refusal(const memory_desc &bias, const memory_desc &result) {
    if (!is_float_or_f8(result.dtype) && !is_int8(result.dtype))
        return "the result of float operands is not f32, bf16, f16, f8, s8 or u8";
    if (!bias.is_zero() && !is_float_or_f8(bias.dtype))
        return "bias of float operands is not f32, bf16, f16 or f8";
    return nullptr;
}

/// A float source takes integer weights when fpmath_mode extends to integers and covers its type.
bool may_dequantise_weights(const primitive_attr &attr, data_type src) {
    if (!attr.fpmath_apply_to_int) return false;
    const bool any = attr.fpmath == dnnl_fpmath_mode_any;
    return src == data_type::f32 ||
           (src == data_type::bf16 && (any || attr.fpmath == dnnl_fpmath_mode_bf16)) ||
           (src == data_type::f16 && (any || attr.fpmath == dnnl_fpmath_mode_f16));
}

void check_shapes(const inner_product_desc &desc) {
    const memory_desc &src = desc.src, &weights = desc.weights, &dst = desc.dst;
    const product_tensor_names n(desc.prop);
    require_tensor(src.ndims >= 2 && src.ndims <= 5, desc, n.src, "it must have 2 to 5 dimensions");
    require_tensor(
        weights.ndims == src.ndims, desc, n.weights, "its rank differs from the source's");
    require_tensor(dst.ndims == 2, desc, n.dst, "it must have 2 dimensions");
    require_tensor(src.dims[1] > 0, desc, n.src, "it has no channels");
    require_tensor(weights.dims[0] > 0, desc, n.weights, "it has no output channels");
    for (int d = 1; d < src.ndims; ++d)
        require_tensor(weights.dims[d] == src.dims[d], desc, n.weights,
            d == 1 ? "the input channels differ from the source's"
                   : "a spatial extent differs from the source's");
    require_tensor(dst.dims[0] == src.dims[0], desc, n.dst, "the batch differs from the source's");
    require_tensor(dst.dims[1] == weights.dims[0], desc, n.dst,
        "the output channels differ from those of the weights");
    if (!desc.bias.is_zero())
        require_tensor(desc.bias.ndims == 1 && desc.bias.dims[0] == weights.dims[0], desc, n.bias,
            "it must have one dimension, of the number of output channels");
}
} // namespace

const char *product_refusal(const memory_desc &a, const memory_desc &b, const memory_desc &bias,
    const memory_desc &result, dnnl_prop_kind_t prop) {
    if (is_int8(a.dtype) && is_int8(b.dtype)) {
        if (is_f8(result.dtype) || is_f8(bias.dtype)) return "an f8 tensor beside int8 operands";
        return prop != dnnl_backward_weights ? nullptr : "the gradient of weights is one of floats";
    }
    if (!is_float_or_f8(a.dtype) || !is_float_or_f8(b.dtype))
        return "the operands must all be f32, bf16, f16 or f8, or all be s8 or u8";
    if (is_forward(prop)) return float_result_refusal(bias, result);
    if (is_f8(a.dtype) || is_f8(b.dtype)) return "gradients are not offered in f8";
    if (!is_float(result.dtype)) return "the result of float operands is not f32, bf16 or f16";
    if (!bias.is_zero() && !is_float(bias.dtype))
        return "bias of float operands is not f32, bf16 or f16";
    return nullptr;
}

const char *matmul_types_refusal(const matmul_desc &desc, const primitive_attr &attr) {
    const data_type src = desc.src.dtype, weights = desc.weights.dtype, dst = desc.dst.dtype;
    if (is_int8(src)) {
        if (!is_int8(weights) && !is_int4(weights))
            return "weights of an int8 src are not s8, u8, s4 or u4";
        if (!is_common(dst) || (!desc.bias.is_zero() && !is_common(desc.bias.dtype)))
            return "dst or bias of an int8 src are not f32, bf16, f16, s32, s8 or u8";
        return nullptr;
    }
    const bool is_f4 = src == data_type::f4_e2m1;
    if (!is_float_or_f8(src) && !is_f4)
        return "src is none of f32, bf16, f16, f8, f4_e2m1, s8 and u8";
    memory_desc result = desc.dst;
    if (dst == data_type::f4_e2m1) result.dtype = data_type::f32; // a result of matmul alone
    if (const char *reason = float_result_refusal(desc.bias, result)) return reason;
    if (is_float_or_f8(weights)) return nullptr;
    if (is_f8(src)) return "weights of an f8 src are not f32, bf16, f16 or f8";
    if (weights == data_type::f4_e2m1) return nullptr;
    if (is_f4) return "weights of an f4_e2m1 src are not f32, bf16, f16, f8 or f4_e2m1";
    if (!is_int8(weights) && !is_int4(weights))
        return "weights are none of f32, bf16, f16, f8, f4_e2m1, s8, u8, s4 and u4";
    if (!may_dequantise_weights(attr, src))
        return "weights are integers beside a float src: call set_fpmath_mode(mode, true), mode "
               "being src's type or any";
    return nullptr;
}

// ---- Inner product ----

inner_product_desc make_inner_product_desc(
    dnnl_prop_kind_t prop, const convolution_tensors &tensors) {
    inner_product_desc desc {.prop = prop};
    take_product_tensors(desc, desc, tensors);
    check_tensors_of(desc, [&] { check_shapes(desc); });
    return desc;
}

inner_product_shape shape_of(const inner_product_desc &desc) {
    inner_product_shape s {};
    s.spatial_ndims = desc.src.ndims - 2;
    s.MB = desc.src.dims[0];
    s.IC = desc.src.dims[1];
    s.OC = desc.weights.dims[0];
    spread({&s.ID, &s.IH, &s.IW}, &desc.src.dims[2], s.spatial_ndims, 1);
    return s;
}

const primitive_facts<inner_product_desc> inner_product_desc::facts {
    .kind = dnnl_inner_product,
    .attributes = {.post_ops = sums | eltwises | binaries | prelus,
        .scales = true,
        .integer_only = true,
        .or_dst = true},
    .arguments = list_weighted,
    .layouts =
        [](inner_product_desc &d) {
            follow(d.src, {&d.weights});
            // The weights take the order of the source's channels and extents, so that both walk K
            // alike. Where the source has blocks over the batch, they would make no sense for
            // output channels.
            if (d.src.inner_nblks == 0) follow(d.weights, {&d.src});
            for (memory_desc *md : {&d.weights, &d.bias, &d.dst}) make_plain(*md);
        },
    .items = add_weighted,
    .shape =
        [](const inner_product_desc &d) {
            return fmt::format("{}oc{}", image_text(d.src), d.dst.dims[1]);
        },
    .takes_scale_mask =
        [](const inner_product_desc &d, const quantization &q) {
            return takes_channel_scales(d, q) || q.arg == DNNL_ARG_DST;
        },
};

} // namespace dnnl::impl
