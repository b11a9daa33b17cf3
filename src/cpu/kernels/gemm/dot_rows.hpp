// SPDX-License-Identifier: Apache-2.0
// Products that need no packed operand: dot products, where the elements along k are adjacent in
// both operands; few rows of A or sparse ones, which add up rows of B where they lie.
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

using dot_rows_function = void (*)(const dot_rows_args &);

/// Both operands f32, bf16 or f16, or any of the four pairs of signed and unsigned bytes. Defined
/// for the instruction sets of gemm().
template <class Isa, class A, class B> void dot_rows(const dot_rows_args &args);

inline constexpr dim_t most_stream_rows = 4;

/// c[i][j] = sum over k of a[i][k] * b[k][j], i < m, j < n, as f32 and in the order of k; m is at
/// most most_stream_rows, and ldb_bytes goes from k to k + 1. B is read once. Nothing outside the
/// operands is read. Defined for the tags avx2 and avx512 and f32, bf16 and f16.
template <class Isa, class T> void stream_rows(const dot_rows_args &args);

// ---- Sparse left operands: sums stay in registers, but those of the transposed product ----

/// c[r][j] = sum over the entries e of row r of values[e] * b[indices[e]][j], r < rows, j <
/// columns, in the order of the entries; 0 without entries. Nothing outside the operands is read.
struct sparse_rows_args {
    const dim_t *begins; // the first entry of each row, and the end of the last row
    const s32 *indices;  // rows of B
    const f32 *values;
    const void *b;
    dim_t ldb_bytes; // from row to row
    dim_t rows, columns;
    void *c;
    dim_t ldc_bytes;
    data_type c_type; // f32, bf16 or f16; f32 or s32 with `integers`
    bool integers;    // values and B are integers of at most 8 bits: sums modulo 2^32
};

/// Columns whose sums stay in registers, for vectors of so many bytes: good multiples of `columns`.
constexpr dim_t sparse_block_columns(dim_t vector_bytes) { return 8 * vector_bytes / dim_t {4}; }

/// B is f32, bf16, f16, s8 or u8. Defined for the tags avx2 and avx512.
template <class Isa, class B> void sparse_rows(const sparse_rows_args &args);

/// c[indices[e]][j] += values[e] * a[k][j] for each entry e of row k, k < rows, in this order. Rows
/// of a and c have one element where `width` is 1, else as many as a vector has lanes.
struct sparse_scatter_args {
    const dim_t *begins; // as in sparse_rows_args
    const s32 *indices;  // rows of c
    const f32 *values, *a;
    f32 *c;
    dim_t rows, width;
};

template <class Isa> void sparse_scatter(const sparse_scatter_args &args);

} // namespace dnnl::impl::cpu
