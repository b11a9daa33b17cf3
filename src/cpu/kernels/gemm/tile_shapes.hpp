// SPDX-License-Identifier: Apache-2.0
// Rows and vectors of the register tiles of the GEMM block kernels, how rows are cut into tiles,
// and where the rows of a tile lie (doc/kernels.md).
#pragma once

#include "cpu/kernels/gemm/gemm_block.hpp"
#include "cpu/simd/dot_bytes.hpp"

namespace dnnl::impl::cpu {

template <class Isa, class A, class B> struct dot<Isa, strided<A>, strided<B>> : dot<Isa, A, B> {};

template <class D, class B>
constexpr dim_t panel_row_bytes = D::panel_columns *D::k_group *dim_t(sizeof(B));
template <class D, class B>
constexpr dim_t vector_of_b = D::acc::size *D::k_group *dim_t(sizeof(B)); // its bytes

template <class T> constexpr bool is_strided = false;
template <class T> constexpr bool is_strided<strided<T>> = true;

template <class A>
constexpr data_type acc_type = is_integer_operand<A> ? data_type::s32 : data_type::f32;
template <class T> constexpr data_type acc_type<strided<T>> = acc_type<T>;

// Vectors in a row of the register tile.
template <class Isa, class A, class B> constexpr int tile_vectors() {
    using acc = typename dot<Isa, A, B>::acc;
    constexpr int panel = dot<Isa, A, B>::panel_columns / acc::size;
    return Isa::vector_registers == 32 ? panel : 2;
}
// Vectors in a row of a tile of few rows, from one panel or two: as many sums as hide the latency
// of an instruction. The rows of A stay in registers, and sums of columns are made on the way.
template <class Isa, class A, class B> constexpr int tile_vectors(dim_t rows) {
    constexpr bool sums = dot<Isa, A, B>::shifts_a;
    if (Isa::vector_bytes == 16) return 2; // one shape: small code for processors of long ago
    if (Isa::vector_registers == 16) return rows == 1 && !sums ? 8 : rows <= 2 ? 4 : 2;
    return rows <= (sums ? 5 : 3) ? 4 : tile_vectors<Isa, A, B>();
}
// f32 at AVX2, whose steps are so short that the instructions around them take time.
template <class Isa, class A, class B>
constexpr bool is_short = __is_same(A, f32) && __is_same(B, f32) && Isa::vector_bytes == 32;
// Vectors in a row of the widest tile that is not of few rows: three for the last of f32 at AVX2.
template <class Isa, class A, class B> constexpr int widest_tile() {
    return is_short<Isa, A, B> ? 3 : tile_vectors<Isa, A, B>();
}
// Rows of the register tile with so many vectors: 24 accumulators of 32 registers, or 8 to 12 of
// 16. Types that unpack B need more registers for that. `vectors` is at most that of few rows.
template <class Isa, class A, class B> constexpr int tile_rows(int vectors) {
    constexpr bool wide = Isa::vector_registers == 32;
    if (vectors > widest_tile<Isa, A, B>()) {
        int rows = 1;
        while (tile_vectors<Isa, A, B>(rows + 1) >= vectors) ++rows;
        return rows;
    }
    if (dot<Isa, A, B>::panel_columns == 64)
        return vectors == 3 ? wide ? 8 : 4 : !wide || vectors == 4 ? 6 : 12;
    constexpr bool bytes = __is_same(typename dot<Isa, A, B>::acc::element, s32);
    if (bytes && Isa::vnni) return wide ? 12 : 6;
    if (bytes) return wide ? 10 : __is_same(B, wide_byte) ? 6 : 4;
    return wide ? 12 : 4;
}
template <class Isa, class A, class B> constexpr int tile_rows() {
    return tile_rows<Isa, A, B>(tile_vectors<Isa, A, B>());
}
template <class Isa, class A, class B> constexpr bool has_few_rows(int rows, int vectors) {
    return rows < vectors || vectors > widest_tile<Isa, A, B>();
}

// The next lower height of tiles after `rows`; the tallest comes first.
constexpr int next_fewer_rows(int rows) { return rows > 8 ? 8 : rows - 1; }

// Returns how many of the `left` rows the next tile takes. A tile of few rows does not hide the
// latency of its products and takes as long as a taller one: two tiles share the last rows then.
DNNL_INLINE constexpr dim_t rows_of_next_tile(dim_t left, dim_t most, dim_t vectors, dim_t groups) {
    constexpr dim_t latency = 8;        // products that run at once: 4 cycles, 2 begin in each
    constexpr dim_t fewest_groups = 64; // fewer do not pay for an epilogue in memory
    const bool is_height = left == most || left <= 8;
    if (groups < fewest_groups || (left <= most && is_height)) return smaller(left, most);
    if (left > most && (left - most) * vectors >= latency) return most;
    return left > 12 ? 8 : (left + 1) / 2;
}
// The number of tiles of the tallest height, one below the other, among `left` rows.
DNNL_INLINE constexpr dim_t tallest_tiles(dim_t left, int tallest, dim_t vectors, dim_t groups) {
    const dim_t rest = left % tallest, before = tallest + rest;
    return left / tallest - (rows_of_next_tile(before, tallest, vectors, groups) < tallest);
}

// Returns how many of n columns the next tiles take, from `column` on, of m rows.
template <class Isa, class A, class B>
DNNL_INLINE constexpr dim_t columns_of_next_tile(dim_t m, dim_t column, dim_t n) {
    using D = dot<Isa, A, B>;
    constexpr dim_t widest = widest_tile<Isa, A, B>() * dim_t(D::acc::size);
    const dim_t nr = tile_vectors<Isa, A, B>(m) * D::acc::size;
    const dim_t in_panel = smaller(n - column, D::panel_columns - column % D::panel_columns);
    if (nr < widest && in_panel <= widest) return in_panel;
    dim_t columns = smaller(n - column, nr);
    // Only columns of the operand may be read: tiles have 1, 2, 4 or 8 vectors.
    if constexpr (is_strided<B>)
        while (columns & (columns - 1)) columns &= columns - 1;
    return columns;
}

// The rows of a tile of A in one product: a pointer to each, and how far they have been read. One
// register counts for all rows, so that rows anywhere cost as much as those of a matrix.
template <int MR> struct tile_of_a {
    const char *rows[MR];
    dim_t read_bytes = 0;
    DNNL_INLINE tile_of_a(const gemm_block_args &g, int product, dim_t row, bool plain) {
        if (!plain && g.a_rows) {
            const void *const *first = g.a_rows + product * g.a_rows_step + row;
#pragma GCC unroll 16
            for (int i = 0; i < MR; ++i) rows[i] = static_cast<const char *>(first[i]);
            read_bytes = g.a_rows_bytes;
        } else {
            const char *first = product_a(g, product) + row * g.lda_bytes;
#pragma GCC unroll 16
            for (int i = 0; i < MR; ++i) rows[i] = first + i * g.lda_bytes;
        }
    }
    DNNL_INLINE const char *row(int i) const { return rows[i] + read_bytes; }
    DNNL_INLINE void advance(dim_t bytes) {
        read_bytes += bytes;
        __asm__("" : "+r"(read_bytes)); // no instruction: else GCC counts up every pointer
    }
};

} // namespace dnnl::impl::cpu
