// SPDX-License-Identifier: Apache-2.0
// Checks of matrix multiplication descriptors.
#include "common/matmul.hpp"

#include "common/error.hpp"
#include "common/tensor_checks.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "matmul";

/// Extent of the product's batch dimension; nothing when the two do not fit. A runtime extent goes
/// with a runtime extent or with 1.
std::optional<dim_t> broadcast(dim_t src, dim_t weights) {
    if (src == weights || weights == 1) return src;
    if (src == 1) return weights;
    return std::nullopt;
}

const char *bias_mismatch(const memory_desc &bias, const memory_desc &dst) {
    if (bias.ndims != dst.ndims) return "matmul: bias: its rank differs from dst's";
    for (int d = 0; d < dst.ndims; ++d)
        if (bias.dims[d] != 1 && bias.dims[d] != dst.dims[d])
            return "matmul: bias: a dimension is neither 1 nor dst's";
    return nullptr;
}
} // namespace

const char *matmul_shape_mismatch(
    const memory_desc &src, const memory_desc &weights, const memory_desc &dst) {
    const int ndims = src.ndims;
    if (ndims < 2) return "matmul: src: it must have at least 2 dimensions";
    if (weights.ndims != ndims) return "matmul: weights: its rank differs from src's";
    if (dst.ndims != ndims) return "matmul: dst: its rank differs from src's";
    const int m = ndims - 2, n = ndims - 1;
    if (src.dims[n] != weights.dims[m]) return "matmul: weights: K differs from src's";
    if (dst.dims[m] != src.dims[m]) return "matmul: dst: M differs from src's";
    if (dst.dims[n] != weights.dims[n]) return "matmul: dst: N differs from that of the weights";
    for (int d = 0; d < m; ++d) {
        const auto extent = broadcast(src.dims[d], weights.dims[d]);
        if (!extent) return "matmul: weights: a batch dimension does not fit src's";
        if (dst.dims[d] != *extent)
            return "matmul: dst: a batch dimension is not that of src and weights";
    }
    return nullptr;
}

matmul_desc make_matmul_desc(const memory_desc *src, const memory_desc *weights,
    const memory_desc *bias, const memory_desc *dst) {
    const unsigned input = may_be_any | may_be_runtime;
    matmul_desc desc;
    desc.src = checked_tensor(name, "src", src, input);
    desc.weights = checked_tensor(name, "weights", weights, input);
    desc.dst = checked_tensor(name, "dst", dst, input | is_written);
    if (!is_absent(bias)) desc.bias = checked_tensor(name, "bias", bias, input);
    if (const char *reason = matmul_shape_mismatch(desc.src, desc.weights, desc.dst))
        throw error(dnnl_invalid_arguments, reason);
    if (!desc.bias.is_zero())
        if (const char *reason = bias_mismatch(desc.bias, desc.dst))
            throw error(dnnl_invalid_arguments, reason);
    require(desc.src.dtype != data_type::s32, "matmul: src: s32 is not a source type");
    return desc;
}

matmul_shape matmul_shape_of(
    const memory_desc &src, const memory_desc &weights, const memory_desc &dst) {
    matmul_shape shape {};
    shape.ndims = dst.ndims;
    shape.batch_count = 1;
    for (int d = 0; d < dst.ndims - 2; ++d) {
        shape.batch[d] = dst.dims[d];
        if (dst.dims[d] == runtime_dim || shape.batch_count == runtime_dim)
            shape.batch_count = runtime_dim;
        else
            shape.batch_count *= dst.dims[d];
    }
    shape.M = src.dims[src.ndims - 2];
    shape.K = src.dims[src.ndims - 1];
    shape.N = weights.dims[weights.ndims - 1];
    return shape;
}

matmul_shape shape_of(const matmul_desc &desc) {
    return matmul_shape_of(desc.src, desc.weights, desc.dst);
}

bool may_dequantise_weights(const primitive_attr &attr, data_type src) {
    if (!attr.fpmath_apply_to_int) return false;
    switch (src) {
    case data_type::f32: return true;
    case data_type::bf16:
        return attr.fpmath == dnnl_fpmath_mode_bf16 || attr.fpmath == dnnl_fpmath_mode_any;
    case data_type::f16:
        return attr.fpmath == dnnl_fpmath_mode_f16 || attr.fpmath == dnnl_fpmath_mode_any;
    default: return false;
    }
}

} // namespace dnnl::impl
