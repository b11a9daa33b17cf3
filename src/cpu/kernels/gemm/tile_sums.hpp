// SPDX-License-Identifier: Apache-2.0
// Where the sums of the register tiles of a block start from and where they go, and what a tile
// brings into L2 while it multiplies (doc/kernels.md, "The cut into blocks").
#pragma once

#include "cpu/kernels/epilogue/common_epilogue.hpp"
#include "cpu/kernels/gemm/gemm_block.hpp"
#include "cpu/simd/dot_bytes.hpp"

namespace dnnl::impl::cpu {

// ---- Sums of bytes that correct products of bytes with a flipped sign bit (dot_bytes.hpp) ----

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

/// What is brought begins `first` bytes after the first panel row of the tile and goes on by `step`
/// bytes for each k group; cache lines are `line` bytes apart.
struct next_part {
    dim_t first, step, line;
};

/// The bytes of a panel row and of the strip of it that a tile multiplies, and whether sums of
/// columns have read a panel before its tiles do.
struct panel_extents {
    dim_t row_bytes, strip_bytes;
    bool read_before;
};

/// Returns the part of the first of `tiles` tiles of a strip; the parts of the others follow it.
/// All tiles of a panel together bring the next panel. The only tile of a strip brings the next
/// strip, or panel rows a little ahead where the strip is the panel.
DNNL_INLINE next_part next_part_of(
    const panel_extents &e, dim_t tiles, dim_t strip, dim_t groups, dim_t panel_bytes) {
    constexpr dim_t ahead_bytes = 4096;
    if (tiles > 1 || e.read_before) {
        const dim_t step = (e.strip_bytes + tiles - 1) / tiles, line = step * 64 / e.strip_bytes;
        return {panel_bytes + strip * (tiles * step * groups - e.strip_bytes), step, line};
    }
    if (e.strip_bytes == e.row_bytes) return {ahead_bytes, e.row_bytes, 64};
    const bool last = (strip + 1) * e.strip_bytes == e.row_bytes;
    return {last ? panel_bytes - strip * e.strip_bytes : e.strip_bytes, e.row_bytes, 64};
}

// Register tiles of a block, one below the other. A comment on "the tile" is about the first.
struct tile_args {
    const gemm_block_args *block;
    dim_t tiles;
    const char *b;           // first panel row of the tile's columns in the first product
    dim_t row;               // first row of the tile in the block
    const char *start;       // accumulators of c that the sums start from, or null
    dim_t start_columns;     // columns that `start` has
    const s32 *column_start; // integers to take off each row of sums: 128 * column sums of B, and
                             // the compensation where the tile is finished in registers; or null
    const s32 *row_start;    // 128 * row sums of A to add, or null
    char *sums;              // where the sums go
    dim_t sums_stride_bytes;
    dim_t sums_columns; // columns that `sums` has room for
    next_part next;     // what the tile brings into L2
    // For a tile that is finished in registers, by a common epilogue:
    const common_columns *columns;
    char *dst;
    dim_t dst_columns;

    // Goes on to the tile `rows` rows below; `groups` is the number of k groups.
    DNNL_INLINE void advance(dim_t rows, dim_t groups) {
        --tiles;
        row += rows;
        start = moved(start, rows * block->ldc_bytes);
        sums += rows * sums_stride_bytes;
        dst = moved(dst, rows * block->ldd_bytes);
        next.first += next.step * groups;
    }
};

// Sets c to what the sums start from, in the common case without a branch around registers.
template <class D, bool Subtracts, bool Plain, int MR, int NV>
DNNL_INLINE void load_start(typename D::acc (&c)[MR][NV], const tile_args &t) {
    using acc = typename D::acc;
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 8
        for (int j = 0; j < NV; ++j) {
            c[i][j] = acc::zero();
            if constexpr (D::shifts_b) c[i][j] = acc::set(t.row_start[i]);
            if constexpr (Subtracts) c[i][j] = c[i][j] - acc::load(t.column_start + j * acc::size);
        }
    }
    if (Plain || !t.start) return;
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
        const auto *row =
            reinterpret_cast<const typename acc::element *>(t.start + i * t.block->ldc_bytes);
#pragma GCC unroll 8
        for (int j = 0; j < NV; ++j) {
            const dim_t left = smaller(t.start_columns - j * acc::size, acc::size);
            c[i][j] = c[i][j] + acc::load(row + j * acc::size, left < 0 ? 0 : left);
        }
    }
}

// Stores the sums. A whole tile has no tests: GCC would keep their numbers of lanes in registers.
template <class D, int MR, int NV>
DNNL_INLINE void store_sums(const typename D::acc (&c)[MR][NV], const tile_args &t) {
    using acc = typename D::acc;
    const bool whole = t.sums_columns >= NV * acc::size;
    char *row_bytes = t.sums;
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i, row_bytes += t.sums_stride_bytes) {
        auto *row = reinterpret_cast<typename acc::element *>(row_bytes);
#pragma GCC unroll 8
        for (int j = 0; j < NV; ++j) {
            const dim_t left = t.sums_columns - j * acc::size;
            if (whole)
                c[i][j].store(row + j * acc::size);
            else if (left > 0)
                c[i][j].store(row + j * acc::size, smaller(left, acc::size));
        }
    }
}

} // namespace dnnl::impl::cpu
