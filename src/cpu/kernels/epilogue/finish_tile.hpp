// SPDX-License-Identifier: Apache-2.0
// The commonest epilogues (common_epilogue.hpp) on a tile of sums in registers.
#pragma once

#include "cpu/kernels/epilogue/common_epilogue.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {

// `Tile` has the common_columns `columns`, its first `row` in the gemm_block_args `block`, and
// `dst`. (By a structure of these alone, GCC 12 makes code that takes 7 to 15 % longer.)

template <class Isa> DNNL_INLINE vec<f32, Isa> as_float(vec<f32, Isa> sum) { return sum; }
template <class Isa> DNNL_INLINE vec<f32, Isa> as_float(vec<s32, Isa> sum) { return to_f32(sum); }

template <class Isa, class Dst, bool Rescales, bool Adds, class Sum, int MR, int NV, class Tile>
DNNL_INLINE void finish_tile(const Sum (&c)[MR][NV], const Tile &t) {
    constexpr dim_t size = vec<f32, Isa>::size;
    const common_numbers<Isa> all(*t.columns);
    const dim_t ldd_bytes = t.block->ldd_bytes;
    const addend_rows addends(*t.columns, t.block->position[row_dim] + t.row, t.dst, ldd_bytes);
#pragma GCC unroll 2
    for (int j = 0; j < NV; j += 2) {
        const common_vector<Isa> left(*t.columns, j * size), right(*t.columns, (j + 1) * size);
#pragma GCC unroll 16
        for (int i = 0; i < MR; ++i) {
            const Dst *addend = addends.template row<Dst>(i) + j * size;
            store_pair(reinterpret_cast<Dst *>(t.dst + i * ldd_bytes) + j * size,
                finish_common<Rescales, Adds>(as_float<Isa>(c[i][j]), left, all, addend),
                finish_common<Rescales, Adds>(
                    as_float<Isa>(c[i][j + 1]), right, all, addend + size));
        }
    }
}

// No more than the conversion.
template <class Isa, class Dst, class Sum, int MR, int NV, class Tile>
DNNL_INLINE void convert_tile(const Sum (&c)[MR][NV], const Tile &t) {
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 2
        for (int j = 0; j < NV; j += 2)
            store_pair(reinterpret_cast<Dst *>(t.dst + i * t.block->ldd_bytes) + j * Sum::size,
                c[i][j], c[i][j + 1]);
}

/// MR rows of NV vectors, an even number; sums of integers started from what the compensation takes
/// off them.
template <class Isa, class Dst, class Sum, int MR, int NV, class Tile>
DNNL_INLINE void finish_tile(const Sum (&c)[MR][NV], const Tile &t) {
    if constexpr (__is_same(Dst, bf16))
        if (t.columns->plain) return convert_tile<Isa, Dst>(c, t);
    if constexpr (sizeof(Dst) == 1)
        if (t.columns->rescales)
            return t.columns->adds ? finish_tile<Isa, Dst, true, true>(c, t)
                                   : finish_tile<Isa, Dst, true, false>(c, t);
    return t.columns->adds ? finish_tile<Isa, Dst, false, true>(c, t)
                           : finish_tile<Isa, Dst, false, false>(c, t);
}

} // namespace dnnl::impl::cpu
