// SPDX-License-Identifier: Apache-2.0
// The GEMM block kernels and the plain data that crosses from baseline code into them.
// doc/kernels.md has pictures of the operands.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"

namespace dnnl::impl::cpu {

/// A block whose accumulators are computed but not yet finished. AMX kernels interleave its
/// epilogue with the products of the next block; others ignore it. A driver owns one per thread,
/// resets it before the first call and gives it to gemm_kernel::end.
struct pending_block {
    alignas(64) s32 accumulators[2][32 * 32]; // two blocks, used in turn
    common_columns columns[2];                // of two panels, used in turn
    epilogue_rows_args rest;                  // rest.rows rows are still to be finished
    const common_columns *common;             // of the rest's columns
    common_rows_function common_rows;         // of the rest; null: another epilogue
    int current;                              // which of the accumulators the next block uses
    int current_columns;                      // which of the columns the next panel uses
};
DNNL_INLINE void reset(pending_block &p) { p.rest.rows = p.current = p.current_columns = 0; }

/// One call: C[m][n] = (accumulate ? C : 0) + sum over the batch of A_b[m][k] * B_b[k][n], then the
/// epilogue. Results do not depend on how m, n and the batch are cut into calls, except for the
/// order of f32 sums over the batch and k, which is the order of the calls.
///
/// A_b: m rows of k elements, elements of a row adjacent: user memory or a copy. Rows are lda_bytes
/// from each other, or lie anywhere. Nothing outside the m * k elements is read.
/// B_b: packed panels of gemm_kernel::panel_columns columns, in the layout
///     [column panel][k group][column][k in group] of the tags BA16a64b (f32), BA16a32b2a (bf16,
///     f16) and BA16a32b4a (int8). Columns from n to the end of the last panel are read and must be
///     there; elements from k to the next multiple of k_group must be zero, and nothing after them
///     is read. Panels start at multiples of 64 bytes.
struct gemm_block_args {
    int batch; // products to add up: K blocks, kernel positions, ...; 0: sums are zero
    const void *const
        *a; // one pointer per product, or a[0] + b * a_step_bytes when a_step_bytes != 0
    dim_t a_step_bytes;          // bytes from product to product, 0: use the list
    dim_t lda_bytes;             // bytes from row to row of A
    const void *const *a_rows;   // null, or a pointer to each row instead of a and lda_bytes; only
                                 // for kernels that take them (gemm_kernel::takes_rows)
    dim_t a_rows_step;           // pointers from product to product
    dim_t a_rows_bytes;          // bytes from each of the pointers to the first element
    const void *b;               // first product, first panel
    dim_t b_step_bytes;          // bytes from product to product
    const dim_t *b_offset_bytes; // bytes from b per product instead of b_step_bytes, or null
    dim_t b_panel_bytes;         // bytes from one column panel to the next
    dim_t m, n, k;               // any count of rows and columns; k elements per product
    void *c;                     // accumulators, f32 or s32; null when neither read nor written
    dim_t ldc_bytes;             // bytes from row to row of c
    bool accumulate;             // start from c instead of zero
    const epilogue *finish;      // null: the sums go to c; else through the epilogue to dst
    void *dst;                   // destination, with `finish` only
    dim_t ldd_bytes;             // bytes from row to row of dst
    dim_t position[position_rank]; // of element (0, 0), with `finish` only
    pending_block *previous;       // AMX: see pending_block; may be null
    dim_t a_k_bytes, b_k_bytes;    // strided<T>: bytes from word to word
};

/// The type of operands that are neither packed nor transposed. A word is a k group: one f32, two
/// bf16 or four bytes. A row of A and a column of B go from word to word by any number of bytes,
/// rows of A lie lda_bytes from each other (adjacent words: 4) and words of columns of B are
/// adjacent; b_panel_bytes is that of panel_columns words. k fills words, n vectors, and there is
/// no epilogue.
template <class T> struct strided { T value; };

/// A block kernel and what a driver must know to use it well.
struct gemm_kernel {
    void (*run)(const gemm_block_args &);
    void (*begin)();              // AMX: loads the tile configuration of this thread; null: nothing
    void (*end)(pending_block *); // AMX: finishes the pending block, releases tiles; null: nothing
    int mr, nr;         // rows and columns of the register tile: good multiples of m and n
    int panel_columns;  // columns of a B panel: 64 (f32) or 32
    int k_group;        // adjacent k of one column in a panel: 1, 2 or 4
    int k_panel;        // 16 k groups, to which the blocked tags pad k
    dim_t most_k;       // of all products of a call, each in whole k groups; 0: any
    data_type acc_type; // f32 or s32
    bool takes_rows;    // that lie anywhere: gemm_block_args::a_rows
};

/// The block kernel for A and B of the given element types. Defined once per instruction set.
template <class Isa, class A, class B> gemm_kernel gemm();

/// The address of A_b, and the bytes from the panels of the first product to B_b (gemm_block_args).
DNNL_INLINE const char *product_a(const gemm_block_args &g, int b) {
    return static_cast<const char *>(g.a_step_bytes ? g.a[0] : g.a[b]) + b * g.a_step_bytes;
}
DNNL_INLINE dim_t product_b(const gemm_block_args &g, int b) {
    return g.b_offset_bytes ? g.b_offset_bytes[b] : b * g.b_step_bytes;
}

DNNL_INLINE const char *product_row(const gemm_block_args &g, int b, dim_t row) {
    if (!g.a_rows) return product_a(g, b) + row * g.lda_bytes;
    return static_cast<const char *>(g.a_rows[b * g.a_rows_step + row]) + g.a_rows_bytes;
}

/// Arguments of the epilogue of rows x columns sums from (row, column) on. The caller sets acc.
DNNL_INLINE epilogue_rows_args epilogue_of_part(
    const gemm_block_args &g, dim_t row, dim_t column, dim_t rows, dim_t columns) {
    epilogue_rows_args e {};
    e.finish = g.finish;
    e.dst = element_at(static_cast<char *>(g.dst) + row * g.ldd_bytes, g.finish->dst_type, column);
    e.dst_stride_bytes = g.ldd_bytes;
    e.rows = rows;
    e.columns = columns;
    for (int d = 0; d < position_rank; ++d) e.position[d] = g.position[d];
    e.position[row_dim] += row;
    e.position[column_dim] += column;
    return e;
}

} // namespace dnnl::impl::cpu
