// SPDX-License-Identifier: Apache-2.0
// The GEMM block kernels, one family for all instruction sets and types. See kernel_types.hpp for
// the contract; baseline code gets kernels from select.hpp.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// A_b and the bytes from the panels of the first product to B_b (gemm_block_args).
DNNL_INLINE const char *product_a(const gemm_block_args &g, int b) {
    return static_cast<const char *>(g.a_step ? g.a[0] : g.a[b]) + (g.a_step ? b * g.a_step : 0);
}
DNNL_INLINE dim_t product_b(const gemm_block_args &g, int b) {
    return g.b_offsets ? g.b_offsets[b] : b * g.b_step;
}

/// The epilogue of rows x columns sums of a block from (row, column) on; acc is the caller's to
/// set. dst_bytes: of one element of dst.
DNNL_INLINE epilogue_rows_args epilogue_of_part(
    const gemm_block_args &g, dim_t dst_bytes, dim_t row, dim_t column, dim_t rows, dim_t columns) {
    epilogue_rows_args e {};
    e.finish = g.finish;
    e.dst = static_cast<char *>(g.dst) + row * g.ldd + column * dst_bytes;
    e.dst_stride = g.ldd;
    e.rows = rows;
    e.columns = columns;
    for (int d = 0; d < position_rank; ++d) e.position[d] = g.position[d];
    e.position[row_dim] += row;
    e.position[column_dim] += column;
    return e;
}

/// The block kernel for A and B of the given element types. Defined once per instruction set.
template <class Isa, class A, class B> gemm_kernel gemm();

} // namespace dnnl::impl::cpu
