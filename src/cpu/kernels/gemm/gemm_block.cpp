// SPDX-License-Identifier: Apache-2.0
// The GEMM block kernels: one loop nest for every instruction set and type (gemm_block.hpp has
// the contract, doc/kernels.md the pictures). A call walks B panels; for each it walks the rows of
// A in register tiles of mr x nv vectors that stay in registers over the whole batch and k.
#include "cpu/kernels/gemm/finish_tile.hpp"
#include "cpu/kernels/gemm/tile_shapes.hpp"
#include "cpu/kernels/gemm/tile_sums.hpp"
#include "cpu/kernels/gemm/wide_bytes.hpp"

namespace dnnl::impl::cpu {

namespace {

// Adds A * B over the batch to the tile c, which stays in registers, as do its results where they
// are finished here (Dst is not void). Plain: one product of rows of a matrix, from zero.
template <class Isa, class A, class B, int MR, int NV, class Dst, bool Plain>
DNNL_INLINE void one_tile(const tile_args &t, dim_t whole_groups, int tail) {
    using D = dot<Isa, A, B>;
    using acc = typename D::acc;
    constexpr dim_t panel_vectors = D::panel_columns / acc::size;
    const gemm_block_args &g = *t.block;
    const dim_t a_step = is_strided<A> ? g.a_k_bytes : D::k_group * dim_t(sizeof(A));
    const dim_t b_step = is_strided<B> ? g.b_k_bytes : panel_row_bytes<D, B>;
    constexpr bool few = has_few_rows<Isa, A, B>(MR, NV), sums_columns = D::shifts_a && few;
    constexpr bool narrow = NV < tile_vectors<Isa, A, B>(); // the last of its panels
    constexpr bool pairs = __is_same(B, wide_byte);         // in a panel that the caches have
    constexpr bool reads_ahead = !few && !narrow && !is_strided<B> && !pairs;
    constexpr int lines = reads_ahead ? NV * Isa::vector_bytes / 64 : 0; // per k group
    // Steps of f32 at AVX2 are so short that counting, and asking for a line each time, takes time.
    constexpr bool short_steps =
        Isa::vector_bytes == 32 && ((reads_ahead && D::k_group == 1) || (pairs && !few));
    // Two steps of pairs at a time run nearer to the peak of a Zen 4, with the requests of both.
    constexpr bool in_pairs = Isa::bf16_pairs && D::k_group == 2 && reads_ahead;
    constexpr int unrolled = MR < tile_rows<Isa, A, B>(NV) ? 1 : short_steps ? 4 : in_pairs ? 2 : 1;
    acc c[MR][NV], of_columns[NV] {};
    constexpr bool finishes = !__is_same(Dst, void);
    load_start<D, acc_type<A> == data_type::s32 && (finishes || (D::shifts_a && !few)), Plain>(
        c, t);
    for (int product = 0; product < (Plain ? 1 : g.batch); ++product) {
        tile_of_a<MR> a(g, product, t.row, Plain);
        const char *b = t.b + product_b(g, product), *next_b = b + t.next.first;
        const auto multiply = [&](auto load_a, dim_t group) __attribute__((always_inline)) {
            const auto column = [&](int j) __attribute__((always_inline)) {
                return D::load_b(b + group * b_step + j / panel_vectors * g.b_panel_bytes +
                                 j % panel_vectors * vector_of_b<D, B>);
            };
            if constexpr (few) {
                decltype(load_a(b)) rows[MR];
#pragma GCC unroll 16
                for (int i = 0; i < MR; ++i) rows[i] = load_a(a.row(i));
#pragma GCC unroll 8
                for (int j = 0; j < NV; ++j) {
                    const auto values = column(j);
#pragma GCC unroll 16
                    for (int i = 0; i < MR; ++i) c[i][j] = D::step(c[i][j], rows[i], values);
                    if constexpr (sums_columns)
                        of_columns[j] = add_128_times(of_columns[j], values);
                }
            } else {
                decltype(column(0)) columns[NV];
#pragma GCC unroll 4
                for (int j = 0; j < NV; ++j) columns[j] = column(j);
#pragma GCC unroll 16
                for (int i = 0; i < MR; ++i) {
                    const auto row = load_a(a.row(i) + group * a_step);
#pragma GCC unroll 4
                    for (int j = 0; j < NV; ++j) c[i][j] = D::step(c[i][j], row, columns[j]);
                }
            }
        };
        const auto whole = [](const char *p) __attribute__((always_inline)) {
            return D::load_a(p);
        };
        // Multiplies so many groups at a time; their shares of what is brought take `parts` lines.
        const auto run = [&](dim_t times, int groups, int parts) __attribute__((always_inline)) {
            for (; times > 0; --times) {
#pragma GCC unroll 4
                for (int group = 0; group < groups; ++group) multiply(whole, group);
                b += groups * b_step;
                a.advance(groups * a_step);
#pragma GCC unroll 4
                for (int part = 0; part < parts; ++part)
#pragma GCC unroll 8
                    for (int line = 0; line < lines; ++line)
                        __builtin_prefetch(next_b + part * t.next.step + line * t.next.line, 0, 2);
                next_b += groups * t.next.step;
            }
        };
        if constexpr (unrolled > 1) {
            const bool in_one_line = !in_pairs && t.next.step * unrolled <= 64;
            in_one_line ? run(whole_groups / unrolled, unrolled, 1)
                        : run(whole_groups / unrolled, unrolled, unrolled);
        }
        run(unrolled > 1 ? whole_groups % unrolled : whole_groups, 1, 1);
        if (D::k_group == 1 || !tail) continue;
        const auto part = [tail](const char *p) __attribute__((always_inline)) {
            return D::load_a_tail(p, tail);
        };
        multiply(part, 0);
    }
    if constexpr (sums_columns)
#pragma GCC unroll 16
        for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
            for (int j = 0; j < NV; ++j) c[i][j] = c[i][j] - of_columns[j];
    if constexpr (__is_same(Dst, void))
        store_sums<D>(c, t);
    else
        finish_tile<Isa, Dst>(c, t);
}

// Brings the lines that the rows of a tile write last into L1 while it multiplies: stores wait for
// each other, also where one waits for its line. The first line, where rows do not begin with one,
// is the last of the tile beside it.
[[maybe_unused]] DNNL_INLINE void ask_for_results(const tile_args &t, int rows, int row_bytes) {
    const bool to_dst = t.block->finish;
    const dim_t stride_bytes = to_dst ? t.block->ldd_bytes : t.sums_stride_bytes;
    const char *end = (to_dst ? t.dst : t.sums) + row_bytes - 1;
#pragma GCC unroll 1
    for (; rows > 0; --rows, end += stride_bytes)
#pragma GCC unroll 4
        for (int line = 0; line < row_bytes; line += 64) __builtin_prefetch(end - line, 1);
}

// Computes tiles one below the other. What they share is worked out once, from copies that no store
// can change; tiles of few rows come alone. Plain tiles are a function of their own, without the
// loop over products, around which GCC moves sums.
template <class Isa, class A, class B, int MR, int NV, class Dst = void, bool Plain = false>
[[gnu::noinline]] void tiles(const tile_args &args) {
    constexpr int k_group = dot<Isa, A, B>::k_group;
    const auto k = std::size_t(args.block->k);
    const auto whole_groups = dim_t(k / k_group);
    const auto tail = static_cast<int>(k % k_group);
    if constexpr (is_short<Isa, A, B> && __is_same(Dst, f32) && !Plain)
        if (args.block->batch == 1 && !args.block->a_rows && !args.start)
            return tiles<Isa, A, B, MR, NV, Dst, true>(args);
    if constexpr (MR < tile_rows<Isa, A, B>(NV)) {
        one_tile<Isa, A, B, MR, NV, Dst, Plain>(args, whole_groups, tail);
    } else {
        const gemm_block_args block = *args.block;
        tile_args t = args;
        t.block = &block;
        for (; t.tiles > 0; t.advance(MR, whole_groups + (tail > 0))) {
            // Results of others are short, their steps many; short products end before lines come.
            if constexpr (__is_same(A, f32) && __is_same(B, f32) && !__is_same(Dst, bf16))
                if (whole_groups >= 16) ask_for_results(t, MR, NV * Isa::vector_bytes);
            one_tile<Isa, A, B, MR, NV, Dst, Plain>(t, whole_groups, tail);
        }
    }
}

// ---- The block: panels, tiles, tails ----

struct sized_tile {
    void (*run)(const tile_args &);
    int rows;
    bool sums_columns; // itself; others need column_start
};

// Returns the tallest tile of at most `rows` rows of NV vectors.
template <class Isa, class A, class B, int MR, int NV> sized_tile best_tile(dim_t rows) {
    if constexpr (MR > 1) {
        if (rows < MR) return best_tile<Isa, A, B, next_fewer_rows(MR), NV>(rows);
    }
    return {tiles<Isa, A, B, MR, NV>, MR, has_few_rows<Isa, A, B>(MR, NV)};
}
// The same with at least `vectors` vectors.
template <class Isa, class A, class B, int NV = 1> sized_tile best_tile(dim_t rows, dim_t vectors) {
    constexpr int next = NV == 2 && widest_tile<Isa, A, B>() > 2 ? 3 : NV == 3 ? 4 : 2 * NV;
    if constexpr (next <= tile_vectors<Isa, A, B>(1))
        if (vectors > NV) return best_tile<Isa, A, B, next>(rows, vectors);
    return best_tile<Isa, A, B, tile_rows<Isa, A, B>(NV), NV>(rows);
}

// Returns the full tile of NV vectors that finishes results in registers, or null where that is not
// compiled for the type.
template <class Isa, class A, class B, int NV>
void (*finishing_tile(data_type dst, const common_columns &ends))(const tile_args &) {
    constexpr int mr = tile_rows<Isa, A, B>(NV);
    if (has_numbers_of_rows(ends) && (!is_integer_operand<A> || dst != data_type::f32 || ends.adds))
        return nullptr;
    if (dst == data_type::f32) return tiles<Isa, A, B, mr, NV, f32>;
    if constexpr (is_integer_operand<A>) {
        if (dst == data_type::u8) return tiles<Isa, A, B, mr, NV, u8>;
        return dst == data_type::s8 ? tiles<Isa, A, B, mr, NV, s8> : nullptr;
    } else if constexpr (NV != 3 || Isa::vector_registers == 32)
        return dst == data_type::bf16 ? tiles<Isa, A, B, mr, NV, bf16> : nullptr;
    return nullptr;
}
template <class Isa, class A, class B>
void (*finishing_tile(data_type dst, const common_columns &ends, dim_t vectors))(
    const tile_args &) {
    constexpr int nv = tile_vectors<Isa, A, B>();
    if constexpr (Isa::vector_bytes == 16) return nullptr;
    if constexpr (Isa::vector_registers == 32 || __is_same(B, wide_byte))
        if (vectors == 1) return finishing_tile<Isa, A, B, 1>(dst, ends);
    if constexpr (nv > 2)
        if (vectors == 2) return finishing_tile<Isa, A, B, 2>(dst, ends);
    if constexpr (widest_tile<Isa, A, B>() > 2)
        if (vectors == 3) return finishing_tile<Isa, A, B, 3>(dst, ends);
    if (2 * vectors <= nv || vectors > nv) return nullptr;
    return finishing_tile<Isa, A, B, nv>(dst, ends);
}

// Applies the epilogue to tiles from (row, column) of the block on, whose sums are in memory.
template <class Isa, class A>
void finish_stored_tiles(
    const tile_args &t, common_rows_function common, int rows, dim_t column, dim_t columns) {
    const gemm_block_args &g = *t.block;
    epilogue_rows_args e = epilogue_of_part(g, t.row, column, t.tiles * rows, columns);
    e.acc = t.sums;
    e.acc_stride_bytes = t.sums_stride_bytes;
    e.acc_type = acc_type<A>;
    if (common)
        common(*t.columns, e);
    else
        epilogue_rows<typename lowest_isa<Isa::vector_bytes>::tag>(e);
}

// Computes all rows of one column of tiles, at most 64 columns wide.
template <class Isa, class A, class B> void tile_column(tile_args &t, dim_t column, dim_t columns) {
    using D = dot<Isa, A, B>;
    using acc = typename D::acc;
    constexpr int most_rows = tile_rows<Isa, A, B>(1), nr = tile_vectors<Isa, A, B>() * acc::size;
    const gemm_block_args &g = *t.block;
    const dim_t vectors = (columns + acc::size - 1) / acc::size;
    const int mr = tile_rows<Isa, A, B>(static_cast<int>(vectors));
    constexpr dim_t widest = 64, together = 4; // tiles that an epilogue in memory takes at once
    alignas(64) s32 scratch[together * most_rows * widest], column_start[widest];
    s32 row_start[most_rows];
    alignas(64) s32 finished_start[widest]; // column_start of tiles finished in registers
    bool summed = false;                    // both of them
    common_columns ends;
    common_rows_function common = nullptr;
    void (*finishing)(const tile_args &) = nullptr;
    if constexpr (Isa::vector_bytes > 16)
        if (g.finish)
            common = common_rows<typename lowest_isa<Isa::vector_bytes>::tag>(
                *g.finish, acc_type<A>, g.position, column, columns, ends);
    if constexpr (!is_strided<A>)
        if (common && finishes_columns<Isa>(columns, ends.adds))
            finishing = finishing_tile<Isa, A, B>(g.finish->dst_type, ends, vectors);
    t.row_start = row_start;
    t.columns = &ends;
    t.start_columns = t.dst_columns = columns;
    constexpr panel_extents extents {
        panel_row_bytes<D, B>, tile_vectors<Isa, A, B>() * Isa::vector_bytes, D::shifts_a};
    const dim_t tiles = (g.m + mr - 1) / mr, groups = (g.k + D::k_group - 1) / D::k_group;
    const dim_t all_groups = g.batch * groups;
    t.next = next_part_of(extents, tiles, column % D::panel_columns / nr, groups, g.b_panel_bytes);
    for (t.row = 0; t.row < g.m;) {
        const sized_tile best =
            best_tile<Isa, A, B>(rows_of_next_tile(g.m - t.row, mr, vectors, all_groups), vectors);
        if constexpr (D::shifts_a)
            if (!best.sums_columns && !summed) {
                const dim_t row_bytes = is_strided<B> ? g.b_k_bytes : extents.row_bytes;
                sum_columns<Isa>(g, t.b, row_bytes, vectors, column_start);
                for (dim_t j = 0; finishing && j < nr; ++j)
                    finished_start[j] = ends.compensation[j] + column_start[j];
                summed = true;
            }
        if constexpr (D::shifts_b) sum_rows<Isa>(g, t.row, best.rows, row_start);
        char *c = moved(static_cast<char *>(g.c), t.row * g.ldc_bytes + column * dim_t(4));
        t.start = g.accumulate ? c : nullptr;
        t.sums = g.finish ? reinterpret_cast<char *>(scratch) : c;
        t.sums_stride_bytes = g.finish ? widest * dim_t(sizeof(s32)) : g.ldc_bytes;
        t.sums_columns = g.finish ? widest : columns;
        const bool finishes = finishing && best.rows == mr, stored = g.finish && !finishes;
        t.tiles =
            D::shifts_b || best.rows < mr ? 1 : tallest_tiles(g.m - t.row, mr, vectors, all_groups);
        if (stored) t.tiles = smaller(t.tiles, together);
        t.column_start = !finishes ? column_start : summed ? finished_start : ends.compensation;
        if (g.finish)
            t.dst = element_at(
                static_cast<char *>(g.dst) + t.row * g.ldd_bytes, g.finish->dst_type, column);
        (finishes ? finishing : best.run)(t);
        if (stored) finish_stored_tiles<Isa, A>(t, common, best.rows, column, columns);
        t.row += t.tiles * best.rows;
        t.next.first += t.tiles * t.next.step * groups;
    }
}

template <class Isa, class A, class B> void multiply_block(const gemm_block_args &g) {
    using D = dot<Isa, A, B>;
    tile_args t {};
    t.block = &g;
    for (dim_t column = 0, columns = 0; column < g.n; column += columns) {
        t.b = moved(static_cast<const char *>(g.b),
            column / D::panel_columns * g.b_panel_bytes +
                column % D::panel_columns * D::k_group * dim_t(sizeof(B)));
        columns = columns_of_next_tile<Isa, A, B>(g.m, column, g.n);
        tile_column<Isa, A, B>(t, column, columns);
    }
}

template <class Isa, class A, class B> void gemm_block(const gemm_block_args &g) {
    if constexpr (widens<Isa, A>)
        multiply_widened<Isa, A, B>(g, tile_rows<Isa, wide_byte, wide_byte>(),
            multiply_block<Isa, wide_byte, B>, multiply_block<Isa, wide_byte, wide_byte>);
    else
        multiply_block<Isa, A, B>(g);
}

} // namespace

template <class Isa, class A, class B> gemm_kernel gemm() {
    using D = dot<Isa, A, B>;
    return {.run = gemm_block<Isa, A, B>,
        .begin = nullptr,
        .end = nullptr,
        .mr = tile_rows<Isa, A, B>(),
        .nr = tile_vectors<Isa, A, B>() * D::acc::size,
        .panel_columns = D::panel_columns,
        .k_group = D::k_group,
        .k_panel = 16 * D::k_group,
        .most_k = widens<Isa, A> ? most_wide_k : 0,
        .acc_type = acc_type<A>,
        .takes_rows = true};
}

#if defined(__AVX512BF16__) // this level changes bf16 only
template gemm_kernel gemm<this_isa, bf16, bf16>();
template gemm_kernel gemm<this_isa, strided<bf16>, strided<bf16>>();
#else
#if !defined(__AVXVNNI__) && !defined(__AVX512VNNI__) // these levels change int8 only
template gemm_kernel gemm<this_isa, f32, f32>();
#if defined(__AVX2__)                                 // below it f32 and packed int8 alone
template gemm_kernel gemm<this_isa, strided<f32>, strided<f32>>();
template gemm_kernel gemm<this_isa, bf16, bf16>();
template gemm_kernel gemm<this_isa, f16, f16>();
template gemm_kernel gemm<this_isa, f32, bf16>();
template gemm_kernel gemm<this_isa, f32, f16>();
#endif
#endif
template gemm_kernel gemm<this_isa, u8, s8>();
template gemm_kernel gemm<this_isa, s8, s8>();
template gemm_kernel gemm<this_isa, u8, u8>();
template gemm_kernel gemm<this_isa, s8, u8>();
#if defined(__AVX2__)
template gemm_kernel gemm<this_isa, strided<s8>, strided<u8>>();
template gemm_kernel gemm<this_isa, strided<s8>, strided<s8>>();
#endif
#endif

} // namespace dnnl::impl::cpu
