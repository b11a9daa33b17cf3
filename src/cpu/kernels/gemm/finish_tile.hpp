// SPDX-License-Identifier: Apache-2.0
// Applies the commonest epilogues (common_epilogue.hpp) to a tile of sums in registers.
#pragma once

#include "cpu/kernels/epilogue/common_epilogue.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {

// `Tile` has the common_columns `columns`, its first `row` in the gemm_block_args `block`, `dst`,
// and `dst_columns`, how many columns dst has. (By a structure of these alone, GCC 12 makes code
// that takes 7 to 15 % longer.)

/// The lanes of two vectors, from column j on, that dst has.
template <class Isa, class Tile>
DNNL_INLINE lanes_of_pair<Isa> columns_left(const Tile &t, dim_t j, dim_t most) {
    return lanes_of_pair<Isa>(masks_lanes<Isa> ? smaller(t.dst_columns - j, most) : most);
}

/// True where a tile of so many columns can be finished in registers: with an addend, or without
/// masks for lanes, only where all columns of its vectors exist.
template <class Isa> constexpr bool finishes_columns(dim_t columns, bool adds) {
    return (masks_lanes<Isa> && !adds) || columns % vec<f32, Isa>::size == 0;
}

// Stores pairs of two rows. Sums of pairs of bf16 are never subnormal; with `normal`, nor is what
// an epilogue makes of them.
template <class Isa, class Dst, class Sum>
DNNL_INLINE void store_rows(char *to, dim_t ldd_bytes, const Sum (&x)[2], const Sum (&y)[2],
    lanes_of_pair<Isa> n, [[maybe_unused]] bool normal) {
    Dst *const rows[2] = {reinterpret_cast<Dst *>(to), reinterpret_cast<Dst *>(to + ldd_bytes)};
#if defined(__AVX512BF16__)
    if constexpr (Isa::bf16_pairs && __is_same(Dst, bf16))
        if (normal) {
            store_halves(rows[0], bf16_of_normal(x[0], y[0]), n);
            return store_halves(rows[1], bf16_of_normal(x[1], y[1]), n);
        }
#endif
    store_pairs(rows, x, y, n);
}

template <class Isa, class Dst, bool Full, bool Adds, bool ByRow, class Sum, int MR, int NV,
    class Tile>
DNNL_INLINE void finish_tile(const Sum (&c)[MR][NV], const Tile &t) {
    static_assert(MR % 2 == 0);
    using v = vec<f32, Isa>;
    const common_numbers<Isa> all(*t.columns);
    const dim_t ldd_bytes = t.block->ldd_bytes;
    const dim_t first_row = t.block->position[row_dim] + t.row;
    const addend_rows addends(*t.columns, first_row, t.dst, ldd_bytes);
    const bool normal = t.columns->normal;
#pragma GCC unroll 2
    for (int j = 0; j < NV; j += 2) {
        const bool alone = j + 1 == NV;
        const dim_t most = alone ? v::size : 2 * v::size;
        const auto n = Adds ? lanes_of_pair<Isa>(most) : columns_left<Isa>(t, j * v::size, most);
        common_vector<Isa> left(*t.columns, j * v::size);
        common_vector<Isa> right(*t.columns, (alone ? j : j + 1) * v::size);
        left.compensation = right.compensation = vec<s32, Isa>::zero(); // taken off already
        char *to = t.dst + j * v::size * dim_t(sizeof(Dst));
#pragma GCC unroll 16
        for (int i = 0; i < MR; i += 2, to += 2 * ldd_bytes) {
            v x[2], y[2];
#pragma GCC unroll 2
            for (int r = 0; r < 2; ++r) {
                const Dst *addend = addends.template row<Dst>(i + r) + j * v::size;
                const row_numbers<Isa, ByRow> row(*t.columns, first_row + i + r);
                x[r] = finish_common<Full, Adds>(row, c[i + r][j], left, all, addend);
                y[r] = alone ? x[r]
                             : finish_common<Full, Adds>(
                                   row, c[i + r][alone ? j : j + 1], right, all, addend + v::size);
            }
            store_rows<Isa, Dst>(to, ldd_bytes, x, y, n, normal);
        }
    }
}

// Stores sums that need no more than the conversion.
template <class Isa, class Dst, class Sum, int MR, int NV, class Tile>
DNNL_INLINE void convert_tile(const Sum (&c)[MR][NV], const Tile &t) {
    const dim_t ldd_bytes = t.block->ldd_bytes;
#pragma GCC unroll 2
    for (int j = 0; j < NV; j += 2) {
        const int right = j + 1 == NV ? j : j + 1;
        const auto n = columns_left<Isa>(t, j * Sum::size, (right - j + 1) * Sum::size);
        char *to = t.dst + j * Sum::size * dim_t(sizeof(Dst));
#pragma GCC unroll 16
        for (int i = 0; i < MR; i += 2, to += 2 * ldd_bytes) {
            const Sum x[2] = {c[i][j], c[i + 1][j]}, y[2] = {c[i][right], c[i + 1][right]};
            store_rows<Isa, Dst>(to, ldd_bytes, x, y, n, true);
        }
    }
}

/// Finishes MR rows of NV vectors; MR is even. Sums of integers started from what the compensation
/// takes off them. An addend to a float comes with bounds, which may be infinite.
template <class Isa, class Dst, class Sum, int MR, int NV, class Tile>
DNNL_INLINE void finish_tile(const Sum (&c)[MR][NV], const Tile &t) {
    constexpr bool integers = !__is_same(Sum, vec<f32, Isa>);
    if constexpr (!__is_same(Dst, f32) || integers)
        if (t.columns->plain) return convert_tile<Isa, Dst>(c, t);
    if constexpr (__is_same(Dst, f32) && integers)
        if (has_numbers_of_rows(*t.columns)) return finish_tile<Isa, Dst, true, false, true>(c, t);
    if constexpr (is_byte<Dst>)
        if (t.columns->adds && !t.columns->full)
            return finish_tile<Isa, Dst, false, true, false>(c, t);
    if (t.columns->adds) return finish_tile<Isa, Dst, true, true, false>(c, t);
    return t.columns->full ? finish_tile<Isa, Dst, true, false, false>(c, t)
                           : finish_tile<Isa, Dst, false, false, false>(c, t);
}

} // namespace dnnl::impl::cpu
