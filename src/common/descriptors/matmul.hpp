// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication: its descriptor, checked, and its extents (specification: "Matrix
// Multiplication").
#pragma once

#include "common/attributes/attributes.hpp"
#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// bias may be null or empty. Throws error(invalid_arguments) where shapes disagree.
matmul_desc make_matmul_desc(const memory_desc *src, const memory_desc *weights,
    const memory_desc *bias, const memory_desc *dst);

/// dst[b][m][n] = bias[b][m][n] + sum over k of src[b][m][k] * weights[b][k][n]; a batch index of a
/// tensor whose extent is 1 counts as 0, so do m and n of bias.
struct matmul_shape {
    int ndims;         ///< of every tensor, at least 2
    dims_t batch {};   ///< extents of dst's leading ndims - 2 dimensions
    dim_t batch_count; ///< their product; 1 without them
    dim_t M, N, K;
};
/// Entries are runtime_dim where the descriptors say so (batch_count too).
matmul_shape shape_of(const matmul_desc &desc);

/// True when src or weights are sparse.
inline bool is_sparse(const matmul_desc &desc) {
    return desc.src.is_sparse() || desc.weights.is_sparse();
}

/// Why no row takes a product one of whose operands is sparse; null when there are some. Exactly
/// one is, in CSR or COO with indices of s32; the dense tensors are row-major (or `any`); types are
/// f32, bf16 or f16 with dst of this type or f32, or any pair of s8 and u8 with dst s32 or f32.
const char *sparse_matmul_refusal(const matmul_desc &desc, const primitive_attr &attr);

/// Checks the shapes of three concrete tensors against each other: for runtime dims at execution.
/// Null when they agree, else the reason.
const char *matmul_shape_mismatch(
    const memory_desc &src, const memory_desc &weights, const memory_desc &dst);

} // namespace dnnl::impl
