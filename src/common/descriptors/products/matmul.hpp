// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication: its descriptor, checked, and its extents (specification: "Matrix
// Multiplication").
#pragma once

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

/// Checks the shapes of three concrete tensors against each other: for runtime dims at execution.
/// Null when they agree, else the reason.
const char *matmul_shape_mismatch(
    const memory_desc &src, const memory_desc &weights, const memory_desc &dst);

} // namespace dnnl::impl
