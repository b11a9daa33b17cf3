// SPDX-License-Identifier: Apache-2.0
// Which element types the operands, bias and result of a product of tensors may have.
#pragma once

#include "common/descriptors/op_desc.hpp"
#include "common/layout/data_type.hpp"

namespace dnnl::impl {

/// Why the types of a forward product of f8 operands are not supported; null when they are.
inline const char *f8_product_refusal(const memory_desc &a, const memory_desc &b,
    const memory_desc &bias, const memory_desc &result) {
    if (a.dtype != b.dtype) return "the operands of an f8 product differ in type";
    if (result.dtype != a.dtype && result.dtype != data_type::f32)
        return "the result of an f8 product is neither of its operands' type nor f32";
    if (!bias.is_zero() && !is_float(bias.dtype) && bias.dtype != a.dtype)
        return "bias of an f8 product is neither of its operands' type nor f32, bf16 or f16";
    return nullptr;
}

/// Why the types of a convolution or inner product are not supported; null when they are. Operands
/// are all float, or, but for the gradients, of one f8 type, or s8 and u8 (not for the gradient of
/// weights) with any common type of result and bias.
inline const char *product_refusal(const memory_desc &a, const memory_desc &b,
    const memory_desc &bias, const memory_desc &result, dnnl_prop_kind_t prop) {
    if (is_int8(a.dtype) && is_int8(b.dtype)) {
        if (is_f8(result.dtype) || is_f8(bias.dtype)) return "int8 operands with an f8 tensor";
        return prop != dnnl_backward_weights ? nullptr : "int8 tensors in the gradient of weights";
    }
    if (is_f8(a.dtype) || is_f8(b.dtype))
        return is_forward(prop) ? f8_product_refusal(a, b, bias, result) : "gradients in f8";
    if (!is_float(a.dtype) || !is_float(b.dtype))
        return "operands are neither all float nor all int8";
    if (!is_float(result.dtype)) return "the result of float operands is not f32, bf16 or f16";
    if (!bias.is_zero() && !is_float(bias.dtype))
        return "bias of float operands is not f32, bf16 or f16";
    return nullptr;
}

/// The same for the tensors of a convolution or deconvolution.
inline const char *product_refusal(const convolution_desc &op) {
    const bool of_data = op.prop == dnnl_backward_data;
    const bool of_weights = op.prop == dnnl_backward_weights;
    return product_refusal(of_data ? op.dst : op.src, of_weights ? op.dst : op.weights, op.bias,
        of_data      ? op.src
        : of_weights ? op.weights
                     : op.dst,
        op.prop);
}

} // namespace dnnl::impl
