// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication with a sparse operand: what rows take.
#pragma once

#include "common/attributes/attributes.hpp"
#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// True when src or weights are sparse.
inline bool is_sparse(const matmul_desc &desc) {
    return desc.src.is_sparse() || desc.weights.is_sparse();
}

/// Why no row takes a product with a sparse operand; null when one does. Exactly one operand is
/// sparse, in CSR or COO with indices of s32; the dense tensors are row-major or `any`. Types are
/// f32, bf16 or f16 with dst of this type or f32, or any pair of s8 and u8 with dst s32 or f32.
const char *sparse_matmul_refusal(const matmul_desc &desc, const primitive_attr &attr);

} // namespace dnnl::impl
