// SPDX-License-Identifier: Apache-2.0
// Products that need no packed operand: dot products, where the elements along k are adjacent in
// both operands, and products with few rows of A, which add up rows of B where they lie.
#pragma once

#include "cpu/kernels/gemm/gemm_block.hpp"

namespace dnnl::impl::cpu {

/// c[i][j] = sum over k of a[i][k] * b[j][k], i < m, j < n. The order of f32 sums depends on k and
/// the width of vectors alone. Nothing outside the operands is read.
struct dot_rows_args {
    const void *a, *b;
    dim_t lda_bytes, ldb_bytes; // from row to row
    dim_t m, n, k;
    void *c; // f32 or s32
    dim_t ldc_bytes;
};

/// Both operands f32, bf16 or f16, or any of the four pairs of signed and unsigned bytes. Defined
/// for the instruction sets of gemm().
template <class Isa, class A, class B> void dot_rows(const dot_rows_args &args);

inline constexpr dim_t most_stream_rows = 4;

/// c[i][j] = sum over k of a[i][k] * b[k][j], i < m, j < n, as f32 and in the order of k; m is at
/// most most_stream_rows, and ldb_bytes goes from k to k + 1. B is read once. Nothing outside the
/// operands is read. Defined for the tags avx2 and avx512 and f32, bf16 and f16.
template <class Isa, class T> void stream_rows(const dot_rows_args &args);

} // namespace dnnl::impl::cpu
