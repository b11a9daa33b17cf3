// SPDX-License-Identifier: Apache-2.0
// The GEMM block kernels on AMX tiles: bf16, and all four pairs of signed and unsigned bytes.
// Blocks of 32 x 32 sums lie in tiles 0 to 3, two tiles of A in 4 and 5, two of B in 6 and 7. The
// epilogue of a block runs between the products of the next one (pending_block). The bf16 products
// flush subnormal values, as the hardware does.
#include "cpu/kernels/gemm/gemm_block.hpp"
#include "cpu/simd/vec.hpp"

#include <immintrin.h>

namespace dnnl::impl::cpu {
namespace {

constexpr dim_t tile_rows = 16, block_rows = 32, block_columns = 32;
constexpr dim_t row_bytes = 64;                          // of a tile: 16 sums, or k of one row of A
constexpr dim_t panel_row_bytes = 128;                   // 32 columns of one k group
constexpr dim_t panel_step_bytes = 16 * panel_row_bytes; // one tile of k groups
constexpr dim_t sums_stride_bytes = block_columns * dim_t(sizeof(s32));
constexpr dim_t fewest_rows = 4; // of an epilogue call: with fewer, the call costs as much

// ---- Tiles ----
//
// The instructions are in assembly: GCC 12 may drop or move stores that tile intrinsics read.

struct tile_configuration {
    u8 palette, start_row, reserved[14];
    std::uint16_t column_bytes[16];
    u8 rows[16];
};

template <int T> DNNL_INLINE void load_tile(const void *p, dim_t stride_bytes) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(p), "r"(stride_bytes), "i"(T) : "memory");
}
// Loads data that is read once, without displacing the rest of L1.
template <int T> DNNL_INLINE void load_tile_streaming(const void *p, dim_t stride_bytes) {
    asm volatile("tileloaddt1 (%0,%1,1), %%tmm%c2" ::"r"(p), "r"(stride_bytes), "i"(T) : "memory");
}
template <int T> DNNL_INLINE void store_tile(void *p, dim_t stride_bytes) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(p), "r"(stride_bytes), "i"(T) : "memory");
}
template <int T> DNNL_INLINE void zero_tile() { asm volatile("tilezero %%tmm%c0" ::"i"(T)); }

template <class T> constexpr bool is_signed = T(-1) < T(0);
template <class A> constexpr data_type acc_type = sizeof(A) == 1 ? data_type::s32 : data_type::f32;

// Adds the product of tile TA, of type A, and tile TB, of type B, to tile C.
template <class A, class B, int C, int TA, int TB> DNNL_INLINE void add_product() {
    if constexpr (sizeof(A) == 2)
        asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(C), "i"(TA), "i"(TB));
    else if constexpr (is_signed<A> && is_signed<B>)
        asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(C), "i"(TA), "i"(TB));
    else if constexpr (is_signed<A>)
        asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(C), "i"(TA), "i"(TB));
    else if constexpr (is_signed<B>)
        asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(C), "i"(TA), "i"(TB));
    else
        asm volatile("tdpbuud %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(C), "i"(TA), "i"(TB));
}

// Configures the tiles for blocks of `rows` rows, 1 to 32.
void configure(dim_t rows) {
    alignas(64) tile_configuration c {};
    const u8 upper = static_cast<u8>(rows < tile_rows ? rows : tile_rows);
    const u8 lower = static_cast<u8>(rows > tile_rows ? rows - tile_rows : 1);
    c.palette = 1;
    for (int t = 0; t < 8; ++t) c.column_bytes[t] = static_cast<std::uint16_t>(row_bytes);
    c.rows[0] = c.rows[1] = c.rows[4] = upper;
    c.rows[2] = c.rows[3] = c.rows[5] = lower;
    c.rows[6] = c.rows[7] = tile_rows;
    asm volatile("ldtilecfg %0" ::"m"(c));
}

// ---- The epilogue of the block before ----

void take_rows(epilogue_rows_args &rest, dim_t rows) {
    rest.rows -= rows;
    rest.position[row_dim] += rows;
    rest.acc = static_cast<const char *>(rest.acc) + rows * rest.acc_stride_bytes;
    rest.dst = static_cast<char *>(rest.dst) + rows * rest.dst_stride_bytes;
}

void finish_rows(pending_block &p, dim_t rows) {
    epilogue_rows_args now = p.rest;
    if (now.rows > rows) now.rows = rows;
    if (p.common_rows)
        p.common_rows(*p.common, now);
    else
        epilogue_rows<avx512>(now);
    take_rows(p.rest, now.rows);
}

// ---- One block ----

// Copies of both operands for the last step of a product, where k is not a multiple of a step.
struct k_tails {
    alignas(64) char a[block_rows * row_bytes];
    alignas(64) char b[panel_step_bytes];
    const char *copied; // what b was copied from, or null
};

// Where a block of at most 32 rows and 32 columns lies.
struct block_place {
    const gemm_block_args *g;
    k_tails *tails;
    const char *b; // panel of the first product
    dim_t row, rows, column, columns;
    const common_columns *common;     // of the panel, with an epilogue only
    common_rows_function common_rows; // null: another epilogue
};

// Multiplies 64 bytes of k for TR x TC tiles of sums.
template <class A, class B, int TR, int TC>
DNNL_INLINE void multiply_step(const char *a, dim_t lda_bytes, const char *b) {
    load_tile_streaming<4>(a, lda_bytes);
    load_tile<6>(b, panel_row_bytes);
    add_product<A, B, 0, 4, 6>();
    if constexpr (TC == 2) {
        load_tile<7>(b + row_bytes, panel_row_bytes);
        add_product<A, B, 1, 4, 7>();
    }
    if constexpr (TR == 2) {
        load_tile_streaming<5>(a + tile_rows * lda_bytes, lda_bytes);
        add_product<A, B, 2, 5, 6>();
        if constexpr (TC == 2) add_product<A, B, 3, 5, 7>();
    }
}

// Copies the last bytes of each row of A and zeros behind them: nothing after a row may be read.
DNNL_INLINE void copy_a_tail(const char *a, dim_t lda_bytes, dim_t rows, dim_t bytes, char *to) {
    const __mmask64 first = (__mmask64 {1} << bytes) - 1; // less than 64 bytes
    for (dim_t i = 0; i < rows; ++i)
        _mm512_store_si512(to + i * row_bytes, _mm512_maskz_loadu_epi8(first, a + i * lda_bytes));
}

// Copies the last k groups of a panel and zeros behind them: memory may end after them.
DNNL_INLINE void copy_b_tail(const char *b, dim_t groups, char *to) {
    const dim_t vectors = groups * panel_row_bytes / row_bytes;
    for (dim_t i = 0; i < panel_step_bytes / row_bytes; ++i)
        _mm512_store_si512(to + i * row_bytes,
            i < vectors ? _mm512_loadu_si512(b + i * row_bytes) : _mm512_setzero_si512());
}

// Computes a block. The copied tail of the panel serves the blocks of rows that follow, too.
template <class A, class B, int TR, int TC>
DNNL_INLINE void multiply_tail(
    const block_place &at, const char *a, const char *b, dim_t bytes, k_tails &tails) {
    copy_a_tail(a, at.g->lda_bytes, at.rows, bytes, tails.a);
    if (tails.copied != b) copy_b_tail(b, (bytes + 3) / 4, tails.b);
    tails.copied = b;
    multiply_step<A, B, TR, TC>(tails.a, row_bytes, tails.b);
}

template <class Isa, class A, class B, int TR, int TC>
void multiply(const block_place &at, pending_block &previous) {
    const gemm_block_args &g = *at.g;
    const dim_t bytes = g.k * dim_t(sizeof(A)), steps = bytes / row_bytes, tail = bytes % row_bytes;
    const dim_t all_steps = g.batch * (steps + (tail != 0));
    const dim_t share = all_steps ? (previous.rest.rows + all_steps - 1) / all_steps : 0;
    const dim_t rows_per_step = share < fewest_rows ? fewest_rows : share;
    for (int product = 0; product < g.batch; ++product) {
        const char *a = product_a(g, product) + at.row * g.lda_bytes;
        const char *b = at.b + product_b(g, product);
        for (dim_t s = 0; s < steps; ++s, a += row_bytes, b += panel_step_bytes) {
            multiply_step<A, B, TR, TC>(a, g.lda_bytes, b);
            if (previous.rest.rows) finish_rows(previous, rows_per_step);
        }
        if (tail) {
            multiply_tail<A, B, TR, TC>(at, a, b, tail, *at.tails);
            if (previous.rest.rows) finish_rows(previous, rows_per_step);
        }
    }
    if (previous.rest.rows) finish_rows(previous, previous.rest.rows);
}

enum class sums_action { zero, load, store };

// Zeroes, loads or stores TR x TC tiles of sums, stride_bytes from row to row.
template <sums_action Action, int TR, int TC, int T = 0>
DNNL_INLINE void with_sums(char *sums, dim_t stride_bytes) {
    if constexpr (T < 4) {
        if constexpr (T / 2 < TR && T % 2 < TC) {
            char *tile = sums + T / 2 * tile_rows * stride_bytes + T % 2 * row_bytes;
            if constexpr (Action == sums_action::zero) zero_tile<T>();
            if constexpr (Action == sums_action::load) load_tile<T>(tile, stride_bytes);
            if constexpr (Action == sums_action::store) store_tile<T>(tile, stride_bytes);
        }
        with_sums<Action, TR, TC, T + 1>(sums, stride_bytes);
    }
}

// Copies rows x columns sums of 32 bits.
template <class Isa>
void copy_sums(const char *from, dim_t from_stride_bytes, char *to, dim_t to_stride_bytes,
    const block_place &at) {
    using v = vec<s32, Isa>;
    for (dim_t i = 0; i < at.rows; ++i) {
        const s32 *row = reinterpret_cast<const s32 *>(from + i * from_stride_bytes);
        s32 *out = reinterpret_cast<s32 *>(to + i * to_stride_bytes);
        for (dim_t j = 0; j < at.columns; j += v::size) {
            const dim_t n = at.columns - j < v::size ? at.columns - j : v::size;
            v::load(row + j, n).store(out + j, n);
        }
    }
}

void start_epilogue(const block_place &at, pending_block &p, data_type acc) {
    p.common = at.common;
    p.common_rows = at.common_rows;
    p.rest = epilogue_of_part(*at.g, at.row, at.column, at.rows, at.columns);
    p.rest.acc = p.accumulators[p.current];
    p.rest.acc_stride_bytes = sums_stride_bytes;
    p.rest.acc_type = acc;
    p.current ^= 1;
}

template <class Isa, class A, class B, int TR, int TC>
void block(const block_place &at, pending_block &pending, bool keep) {
    const gemm_block_args &g = *at.g;
    char *sums = reinterpret_cast<char *>(pending.accumulators[pending.current]);
    char *c = static_cast<char *>(g.c);
    if (c) c += at.row * g.ldc_bytes + at.column * dim_t(sizeof(s32));
    const bool whole = at.columns == TC * 16; // as tiles they may lie in c
    if (g.accumulate && !whole) copy_sums<Isa>(c, g.ldc_bytes, sums, sums_stride_bytes, at);
    if (g.accumulate)
        with_sums<sums_action::load, TR, TC>(
            whole ? c : sums, whole ? g.ldc_bytes : sums_stride_bytes);
    else
        with_sums<sums_action::zero, TR, TC>(sums, sums_stride_bytes);
    multiply<Isa, A, B, TR, TC>(at, pending);
    if (!g.finish && whole) {
        with_sums<sums_action::store, TR, TC>(c, g.ldc_bytes);
        return;
    }
    with_sums<sums_action::store, TR, TC>(sums, sums_stride_bytes);
    if (!g.finish) {
        copy_sums<Isa>(sums, sums_stride_bytes, c, g.ldc_bytes, at);
        return;
    }
    start_epilogue(at, pending, acc_type<A>);
    if (!keep) finish_rows(pending, at.rows);
}

template <class Isa, class A, class B>
void any_block(const block_place &at, pending_block &pending, bool keep) {
    if (at.rows > tile_rows) {
        if (at.columns > 16) return block<Isa, A, B, 2, 2>(at, pending, keep);
        return block<Isa, A, B, 2, 1>(at, pending, keep);
    }
    if (at.columns > 16) return block<Isa, A, B, 1, 2>(at, pending, keep);
    return block<Isa, A, B, 1, 1>(at, pending, keep);
}

// Prepares the epilogue of a panel's blocks. The pending block may still use the columns before.
template <class A> void choose_finish(block_place &at, pending_block &pending) {
    const gemm_block_args &g = *at.g;
    common_columns &columns = pending.columns[pending.current_columns];
    at.common = &columns;
    at.common_rows =
        common_rows<avx512>(*g.finish, acc_type<A>, g.position, at.column, at.columns, columns);
    if (at.common_rows) pending.current_columns ^= 1;
}

// Multiplies rows [first, last), in blocks of 32, by all panels.
template <class Isa, class A, class B>
void all_panels(
    const gemm_block_args &g, dim_t first, dim_t last, pending_block &pending, bool keep) {
    if (first == last) return;
    k_tails tails;
    tails.copied = nullptr;
    block_place at {};
    at.g = &g;
    at.tails = &tails;
    for (at.column = 0; at.column < g.n; at.column += block_columns) {
        at.columns = g.n - at.column < block_columns ? g.n - at.column : block_columns;
        at.b = static_cast<const char *>(g.b) + at.column / block_columns * g.b_panel_bytes;
        if (g.finish) choose_finish<A>(at, pending);
        for (at.row = first; at.row < last; at.row += block_rows) {
            at.rows = last - at.row < block_rows ? last - at.row : block_rows;
            any_block<Isa, A, B>(at, pending, keep);
        }
    }
}

template <class Isa, class A, class B> void gemm_block(const gemm_block_args &g) {
    const dim_t whole = g.m / block_rows * block_rows;
    pending_block *previous = g.previous;
    pending_block own; // of use without `previous`; only its counters need values
    pending_block &pending = previous ? *previous : own;
    if (!previous) reset(pending);
    all_panels<Isa, A, B>(g, 0, whole, pending, previous != nullptr);
    if (whole == g.m) return;
    configure(g.m - whole);
    all_panels<Isa, A, B>(g, whole, g.m, pending, previous != nullptr);
    configure(block_rows);
}

template <class Isa> void begin_tiles() { configure(block_rows); }

template <class Isa> void end_tiles(pending_block *p) {
    if (p && p->rest.rows) finish_rows(*p, p->rest.rows);
    asm volatile("tilerelease");
}

} // namespace

template <class Isa, class A, class B> gemm_kernel gemm() {
    return {.run = gemm_block<Isa, A, B>,
        .begin = begin_tiles<Isa>,
        .end = end_tiles<Isa>,
        .mr = block_rows,
        .nr = block_columns,
        .panel_columns = block_columns,
        .k_group = 4 / sizeof(A),
        .k_panel = 64 / sizeof(A),
        .most_k = 0,
        .acc_type = acc_type<A>,
        .takes_rows = false};
}

template gemm_kernel gemm<this_isa, bf16, bf16>();
template gemm_kernel gemm<this_isa, u8, s8>();
template gemm_kernel gemm<this_isa, s8, s8>();
template gemm_kernel gemm<this_isa, u8, u8>();
template gemm_kernel gemm<this_isa, s8, u8>();

} // namespace dnnl::impl::cpu
