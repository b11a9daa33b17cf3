// SPDX-License-Identifier: Apache-2.0
// The GEMM block kernels: one loop nest for every instruction set and type (kernel_types.hpp has
// the contract, doc/kernels.md the pictures). A call walks B panels; for each it walks the rows of
// A in register tiles of mr x nv vectors that stay in registers over the whole batch and k.
#include "cpu/kernels/epilogue/finish_tile.hpp"
#include "cpu/kernels/gemm/byte_sums.hpp"
#include "cpu/kernels/gemm/next_panel.hpp"
#include "cpu/kernels/kernel_types.hpp"
#include "cpu/simd/dot_bytes.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {
namespace {

// Rows of the register tile: 24 accumulators of 32 registers, or 8 to 12 of 16. Types that unpack
// B need more registers for it.
template <class Isa, class A, class B> constexpr int tile_rows() {
    constexpr bool wide = Isa::vector_registers == 32;
    if constexpr (dot<Isa, A, B>::panel_columns == 64) return 6;
    if constexpr (is_byte<A> && Isa::vnni) return wide ? 12 : 6;
    if constexpr (is_byte<A>) return wide ? 10 : 4;
    return wide ? 12 : 4;
}
template <class Isa, class A, class B> constexpr int tile_vectors() {
    using acc = typename dot<Isa, A, B>::acc;
    constexpr int panel = dot<Isa, A, B>::panel_columns / acc::size;
    return Isa::vector_registers == 32 ? panel : 2;
}
// Vectors of a tile of few rows, of one panel or two: as many sums as hide the latency of an
// instruction. Its rows stay in registers, and sums of columns are made on the way.
template <class Isa, class A, class B> constexpr int tile_vectors(dim_t rows) {
    constexpr bool sums = dot<Isa, A, B>::shifts_a;
    if (Isa::vector_registers == 16) return rows == 1 && !sums ? 8 : rows <= 2 ? 4 : 2;
    return rows <= (sums ? 5 : 3) ? 4 : tile_vectors<Isa, A, B>();
}
template <class Isa, class A, class B> constexpr bool has_few_rows(int rows, int vectors) {
    return rows < vectors || vectors > tile_vectors<Isa, A, B>();
}

template <class D, class B>
constexpr dim_t panel_row_bytes = D::panel_columns *D::k_group *dim_t(sizeof(B));

template <class A> constexpr data_type acc_type = is_byte<A> ? data_type::s32 : data_type::f32;

// Register tiles of a block, one below the other; what is said of one holds for the first.
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
    // Of a tile that is finished in registers, by a common epilogue:
    const common_columns *columns;
    char *dst;
    dim_t dst_columns;

    // The next tile, `rows` rows below; `groups`: of k.
    DNNL_INLINE void advance(dim_t rows, dim_t groups) {
        --tiles;
        row += rows;
        start = moved(start, rows * block->ldc_bytes);
        sums += rows * sums_stride_bytes;
        dst = moved(dst, rows * block->ldd_bytes);
        next.first += next.step * groups;
    }
};

// c = what the sums start from; no branch around registers in the common case.
template <class D, bool Subtracts, int MR, int NV>
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
    if (!t.start) return;
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

template <class D, int MR, int NV>
DNNL_INLINE void store_sums(const typename D::acc (&c)[MR][NV], const tile_args &t) {
    using acc = typename D::acc;
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
        auto *row = reinterpret_cast<typename acc::element *>(t.sums + i * t.sums_stride_bytes);
#pragma GCC unroll 8
        for (int j = 0; j < NV; ++j) {
            const dim_t left = t.sums_columns - j * acc::size;
            if (left > 0) store_up_to(row + j * acc::size, c[i][j], left);
        }
    }
}

// A pointer to every third row; the two rows after it are reached through lda_bytes.
template <int MR> struct row_pointers {
    const char *third[(MR + 2) / 3];
    DNNL_INLINE row_pointers(const char *a, dim_t lda_bytes) {
#pragma GCC unroll 6
        for (int i = 0; i < (MR + 2) / 3; ++i) third[i] = a + 3 * i * lda_bytes;
    }
    DNNL_INLINE const char *row(int i, dim_t lda_bytes) const {
        return third[i / 3] + i % 3 * lda_bytes;
    }
    DNNL_INLINE void advance(dim_t bytes) {
#pragma GCC unroll 6
        for (int i = 0; i < (MR + 2) / 3; ++i) third[i] += bytes;
    }
};

// c += A * B over the batch. The whole tile stays in registers, and so does its epilogue when there
// is a Dst.
template <class Isa, class A, class B, int MR, int NV, class Dst>
DNNL_INLINE void one_tile(const tile_args &t, dim_t whole_groups, int tail) {
    using D = dot<Isa, A, B>;
    using acc = typename D::acc;
    constexpr dim_t panel_vectors = D::panel_columns / acc::size;
    const dim_t lda_bytes = t.block->lda_bytes;
    const gemm_block_args &g = *t.block;
    constexpr bool few = has_few_rows<Isa, A, B>(MR, NV), sums_columns = D::shifts_a && few;
    constexpr bool narrow = NV < tile_vectors<Isa, A, B>();                // the last of its panels
    constexpr int lines = few || narrow ? 0 : NV * Isa::vector_bytes / 64; // per k group
    acc c[MR][NV], of_columns[NV] {};
    constexpr bool finishes = !__is_same(Dst, void);
    load_start<D, is_byte<A> && (finishes || (D::shifts_a && !few))>(c, t);
    for (int product = 0; product < g.batch; ++product) {
        row_pointers<MR> a(product_a(g, product) + t.row * lda_bytes, lda_bytes);
        const char *b = t.b + product_b(g, product), *next_b = b + t.next.first;
        const auto multiply = [&](auto load_a) __attribute__((always_inline)) {
            const auto column = [&](int j) __attribute__((always_inline)) {
                return D::load_b(b + j / panel_vectors * g.b_panel_bytes +
                                 j % panel_vectors * Isa::vector_bytes);
            };
            if constexpr (few) {
                decltype(load_a(b)) rows[MR];
#pragma GCC unroll 16
                for (int i = 0; i < MR; ++i) rows[i] = load_a(a.row(i, lda_bytes));
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
                    const auto row = load_a(a.row(i, lda_bytes));
#pragma GCC unroll 4
                    for (int j = 0; j < NV; ++j) c[i][j] = D::step(c[i][j], row, columns[j]);
                }
            }
            b += panel_row_bytes<D, B>;
#pragma GCC unroll 8
            for (int line = 0; line < lines; ++line)
                __builtin_prefetch(next_b + line * t.next.line, 0, 2);
            next_b += t.next.step;
        };
        for (dim_t groups = whole_groups; groups > 0; --groups) {
            multiply([](const char *p) __attribute__((always_inline)) { return D::load_a(p); });
            a.advance(D::k_group * dim_t(sizeof(A)));
        }
        if (tail) {
            multiply([tail](const char *p)
                    __attribute__((always_inline)) { return D::load_a_tail(p, tail); });
        }
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

// What tiles share is worked out once, from copies that no store can change; few rows come alone.
template <class Isa, class A, class B, int MR, int NV, class Dst = void>
void tiles(const tile_args &args) {
    constexpr int k_group = dot<Isa, A, B>::k_group;
    const auto k = static_cast<std::size_t>(args.block->k);
    const auto whole_groups = static_cast<dim_t>(k / k_group);
    const auto tail = static_cast<int>(k % k_group);
    if constexpr (MR < tile_rows<Isa, A, B>()) {
        one_tile<Isa, A, B, MR, NV, Dst>(args, whole_groups, tail);
    } else {
        const gemm_block_args block = *args.block;
        tile_args t = args;
        t.block = &block;
        for (; t.tiles > 0; t.advance(MR, whole_groups + (tail > 0)))
            one_tile<Isa, A, B, MR, NV, Dst>(t, whole_groups, tail);
    }
}

// ---- The block: panels, tiles, tails ----

struct sized_tile {
    void (*run)(const tile_args &);
    int rows;
    bool sums_columns; // itself; others need column_start
};
template <class Isa, class A, class B, int MR, int NV> constexpr sized_tile sized() {
    return {tiles<Isa, A, B, MR, NV>, MR, has_few_rows<Isa, A, B>(MR, NV)};
}

constexpr int next_fewer_rows(int rows) { return rows > 8 ? 8 : rows > 6 ? 6 : rows - 1; }

// The tallest tile of at most `rows` rows with at least `vectors` vectors of columns.
template <class Isa, class A, class B, int MR> sized_tile best_tile(dim_t rows, dim_t vectors) {
    constexpr int nv = tile_vectors<Isa, A, B>(MR);
    if constexpr (MR > 1) {
        if (rows < MR) return best_tile<Isa, A, B, next_fewer_rows(MR)>(rows, vectors);
    }
    if (vectors == 1) return sized<Isa, A, B, MR, 1>();
    if (vectors == 2) return sized<Isa, A, B, MR, 2>();
    if constexpr (nv > 4)
        if (vectors <= 4) return sized<Isa, A, B, MR, 4>();
    return sized<Isa, A, B, MR, nv>();
}

// The full tile that ends in registers, or null where the chain for this type is not compiled.
template <class Isa, class A, class B>
void (*finishing_tile(data_type dst, bool by_rows))(const tile_args &) {
    constexpr int mr = tile_rows<Isa, A, B>(), nv = tile_vectors<Isa, A, B>();
    if (by_rows && (!is_byte<A> || dst != data_type::f32)) return nullptr;
    if (dst == data_type::f32) return tiles<Isa, A, B, mr, nv, f32>;
    if constexpr (is_byte<A>) {
        if (dst == data_type::u8) return tiles<Isa, A, B, mr, nv, u8>;
        return dst == data_type::s8 ? tiles<Isa, A, B, mr, nv, s8> : nullptr;
    } else
        return dst == data_type::bf16 ? tiles<Isa, A, B, mr, nv, bf16> : nullptr;
}

// The epilogue of tiles from (row, column) of the block on; their sums are in memory.
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

// All rows of one column of tiles, at most 64 columns wide.
template <class Isa, class A, class B> void tile_column(tile_args &t, dim_t column, dim_t columns) {
    using D = dot<Isa, A, B>;
    using acc = typename D::acc;
    constexpr int mr = tile_rows<Isa, A, B>(), nr = tile_vectors<Isa, A, B>() * acc::size;
    const gemm_block_args &g = *t.block;
    const dim_t vectors = (columns + acc::size - 1) / acc::size;
    constexpr dim_t widest = 64, together = 4; // tiles that an epilogue in memory takes at once
    alignas(64) s32 scratch[together * mr * widest], column_start[widest], row_start[mr];
    alignas(64) s32 finished_start[widest]; // column_start of tiles finished in registers
    bool summed = false;                    // both of them
    common_columns ends;
    common_rows_function common = nullptr;
    void (*finishing)(const tile_args &) = nullptr;
    if (g.finish)
        common = common_rows<typename lowest_isa<Isa::vector_bytes>::tag>(
            *g.finish, acc_type<A>, g.position, column, columns, ends);
    if (common && 2 * vectors > tile_vectors<Isa, A, B>())
        finishing = finishing_tile<Isa, A, B>(g.finish->dst_type, has_numbers_of_rows(ends));
    t.row_start = row_start;
    t.columns = &ends;
    t.start_columns = t.dst_columns = columns;
    constexpr panel_extents extents {
        panel_row_bytes<D, B>, tile_vectors<Isa, A, B>() * Isa::vector_bytes, D::shifts_a};
    const dim_t tiles = (g.m + mr - 1) / mr, groups = (g.k + D::k_group - 1) / D::k_group;
    t.next = next_part_of(extents, tiles, column % D::panel_columns / nr, groups, g.b_panel_bytes);
    for (t.row = 0; t.row < g.m;) {
        const sized_tile best = best_tile<Isa, A, B, mr>(g.m - t.row, vectors);
        if constexpr (D::shifts_a)
            if (!best.sums_columns && !summed) {
                sum_columns<Isa>(g, t.b, vectors, column_start);
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
        t.tiles = D::shifts_b || best.rows < mr ? 1 : (g.m - t.row) / mr;
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

template <class Isa, class A, class B> void gemm_block(const gemm_block_args &g) {
    using D = dot<Isa, A, B>;
    const dim_t nr = tile_vectors<Isa, A, B>(g.m) * D::acc::size;
    tile_args t {};
    t.block = &g;
    for (dim_t column = 0; column < g.n; column += nr) {
        t.b = moved(static_cast<const char *>(g.b),
            column / D::panel_columns * g.b_panel_bytes +
                column % D::panel_columns * D::k_group * dim_t(sizeof(B)));
        tile_column<Isa, A, B>(t, column, g.n - column < nr ? g.n - column : nr);
    }
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
        .acc_type = acc_type<A>};
}

#if defined(__AVX512BF16__) // this level changes bf16 only
template gemm_kernel gemm<this_isa, bf16, bf16>();
#else
#if !defined(__AVXVNNI__) && !defined(__AVX512VNNI__) // these levels change int8 only
template gemm_kernel gemm<this_isa, f32, f32>();
template gemm_kernel gemm<this_isa, bf16, bf16>();
template gemm_kernel gemm<this_isa, f16, f16>();
template gemm_kernel gemm<this_isa, f32, bf16>();
template gemm_kernel gemm<this_isa, f32, f16>();
#endif
template gemm_kernel gemm<this_isa, u8, s8>();
template gemm_kernel gemm<this_isa, s8, s8>();
template gemm_kernel gemm<this_isa, u8, u8>();
template gemm_kernel gemm<this_isa, s8, u8>();
#endif

} // namespace dnnl::impl::cpu
