// SPDX-License-Identifier: Apache-2.0
// Sums of bytes that correct the products of bytes with a flipped sign bit (dot_bytes.hpp, shifts_a
// and shifts_b), for the GEMM block kernels.
#pragma once

#include "cpu/kernels/gemm/gemm_block.hpp"
#include "cpu/simd/dot_bytes.hpp"

namespace dnnl::impl::cpu {

/// Returns sum + 128 * the four bytes of each lane.
template <class Isa> DNNL_INLINE vec<s32, Isa> add_128_times(vec<s32, Isa> sum, vec<s32, Isa> b) {
    return dot_bytes(sum, vec<s32, Isa>::set(static_cast<s32>(0x80808080u)), b);
}

// Finds 128 * the sums over the batch and k of the columns of one tile. The columns are in one
// panel or two, whose k groups are row_bytes from each other.
template <class Isa>
DNNL_INLINE void sum_columns(
    const gemm_block_args &g, const char *b, dim_t row_bytes, dim_t vectors, s32 *sums) {
    using acc = vec<s32, Isa>;
    constexpr dim_t panel_vectors = 128 / Isa::vector_bytes; // of 32 columns
    const auto load = [](const char *p) __attribute__((always_inline)) {
        return acc::load(reinterpret_cast<const s32 *>(p));
    };
    for (dim_t j = 0; j < vectors; ++j) {
        acc sum0 = acc::zero(), sum1 = acc::zero();
        for (int product = 0; product < g.batch; ++product) {
            const char *p = b + product_b(g, product) + j / panel_vectors * g.b_panel_bytes +
                            j % panel_vectors * Isa::vector_bytes;
            dim_t groups = (g.k + 3) / 4;
            for (; groups >= 2; groups -= 2, p += 2 * row_bytes) {
                sum0 = add_128_times(sum0, load(p));
                sum1 = add_128_times(sum1, load(p + row_bytes));
            }
            if (groups) sum0 = add_128_times(sum0, load(p));
        }
        (sum0 + sum1).store(sums + j * acc::size);
    }
}

// Finds 128 * the sums over the batch and k of rows of unsigned bytes.
template <class Isa>
DNNL_INLINE void sum_rows(const gemm_block_args &g, dim_t first_row, int rows, s32 *sums) {
    using acc = vec<s32, Isa>;
    for (int i = 0; i < rows; ++i) {
        acc sum = acc::zero();
        s32 rest = 0;
        for (int product = 0; product < g.batch; ++product) {
            const u8 *a = reinterpret_cast<const u8 *>(product_row(g, product, first_row + i));
            dim_t p = 0;
            for (; p + Isa::vector_bytes <= g.k; p += Isa::vector_bytes)
                sum = dot_bytes(
                    sum, acc::load(reinterpret_cast<const s32 *>(a + p)), acc::set(0x01010101));
            for (; p < g.k; ++p) rest += a[p];
        }
        sums[i] = 128 * (reduce_add(sum) + rest);
    }
}

} // namespace dnnl::impl::cpu
