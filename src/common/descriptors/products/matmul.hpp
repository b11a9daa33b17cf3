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

/// dst[b][m][n] = bias[b][m][n] + sum over k of src[b][m][k] * weights[b][k][n]. Where a tensor has
/// extent 1 along a dimension of the batch, its index there is 0; so it is along m and n of bias.
struct matmul_shape {
    int ndims;         ///< of every tensor, at least 2
    dims_t batch {};   ///< extents of dst's leading ndims - 2 dimensions
    dim_t batch_count; ///< their product; 1 without them
    dim_t M, N, K;
};
/// The extents of a product. An entry, also batch_count, is runtime_dim where descriptors say so.
matmul_shape shape_of(const matmul_desc &desc);

/// Checks the shapes of three concrete tensors against each other, for dims that are known at
/// execution only. Null when they agree, else the reason.
const char *matmul_shape_mismatch(
    const memory_desc &src, const memory_desc &weights, const memory_desc &dst);

/// True when src or weights are sparse.
inline bool is_sparse(const matmul_desc &desc) {
    return desc.src.is_sparse() || desc.weights.is_sparse();
}

/// Why no row takes a product with a sparse operand; null when one does. Exactly one operand is
/// sparse, in CSR or COO with indices of s32; the dense tensors are row-major or `any`. Types are
/// f32, bf16 or f16 with dst of this type or f32, or any pair of s8 and u8 with dst s32 or f32.
const char *sparse_matmul_refusal(const matmul_desc &desc, const primitive_attr &attr);

} // namespace dnnl::impl
