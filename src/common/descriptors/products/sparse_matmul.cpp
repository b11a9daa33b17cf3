// SPDX-License-Identifier: Apache-2.0
#include "common/descriptors/products/shapes.hpp"

namespace dnnl::impl {

namespace {
const char *sparse_operand_refusal(const memory_desc &md) {
    if (md.sparse.encoding == dnnl_packed) return "the packed encoding is not offered";
    const bool csr = md.sparse.encoding == dnnl_csr;
    if (md.sparse.indices != data_type::s32 || (csr && md.sparse.pointers != data_type::s32))
        return "indices or pointers of the sparse operand are not s32";
    return nullptr;
}

bool is_row_major(const memory_desc &md) {
    if (md.is_any()) return true;
    memory_desc dense = md;
    set_dense_strides(dense);
    return md.is_plain() && dense == md;
}

const char *sparse_attributes_refusal(const primitive_attr &attr) {
    if (!attr.scales.empty()) return "scales beside a sparse operand";
    if (!attr.zero_points.empty()) return "zero points beside a sparse operand";
    if (!attr.reductions.empty()) return "precomputed reductions beside a sparse operand";
    if (!attr.post_ops.entries.empty()) return "post-ops beside a sparse operand";
    if (attr.dropout.enabled) return "dropout beside a sparse operand";
    if (!attr.stochastic_rounding.empty()) return "stochastic rounding beside a sparse operand";
    return nullptr;
}

const char *sparse_types_refusal(data_type src, data_type weights, data_type dst) {
    if (is_int8(src) && is_int8(weights)) {
        if (dst == data_type::s32 || dst == data_type::f32) return nullptr;
        return "dst of bytes beside a sparse operand is neither s32 nor f32";
    }
    if (src != weights || !is_float(src))
        return "operands are neither of one floating-point type (f32, bf16, f16) nor both s8 or "
               "u8, and one is sparse";
    if (dst == src || dst == data_type::f32) return nullptr;
    return "dst is neither of the operands' type nor f32, and one of them is sparse";
}
} // namespace

const char *sparse_matmul_refusal(const matmul_desc &desc, const primitive_attr &attr) {
    const memory_desc &src = desc.src, &weights = desc.weights, &dst = desc.dst;
    if (src.is_sparse() && weights.is_sparse()) return "src and weights are both sparse";
    const bool sparse_src = src.is_sparse();
    if (const char *why = sparse_operand_refusal(sparse_src ? src : weights)) return why;
    if (src.has_runtime() || weights.has_runtime() || dst.has_runtime())
        return "dimensions are known at execution only, and an operand is sparse";
    if (!is_row_major(sparse_src ? weights : src) || !is_row_major(dst))
        return "a dense tensor beside a sparse operand is not row-major (ab) without gaps";
    if (!desc.bias.is_zero()) return "a bias beside a sparse operand";
    if (const char *why = sparse_attributes_refusal(attr)) return why;
    return sparse_types_refusal(src.dtype, weights.dtype, dst.dtype);
}

} // namespace dnnl::impl
