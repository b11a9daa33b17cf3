// SPDX-License-Identifier: Apache-2.0
// Normalization of rows whose columns are channels with statistics of their own; see normalize.hpp.
// The sums or constants of a block of channels stay in registers over several rows.
#include "cpu/kernels/normalization/normalize.hpp"

#include "cpu/kernels/normalization/terms.hpp"
#include "cpu/simd/block.hpp"

namespace dnnl::impl::cpu {

namespace {

// ---- Blocks of channels: vectors in the order that suits the type ----

// flags_at() returns the lanes whose byte is not 0; store_flags_at() writes bytes, 1 in the lanes
// that are set and 0 in others.
template <class Isa, class Lanes = all_lanes>
DNNL_INLINE typename vec<s32, Isa>::lanes flags_at(const u8 *p, Lanes n = {}) {
    return load_as_s32<Isa>(p, n) != vec<s32, Isa>::zero();
}
template <class Isa, class Mask, class Lanes = all_lanes>
DNNL_INLINE void store_flags_at(u8 *p, Mask set, Lanes n = {}) {
    using i32 = vec<s32, Isa>;
    narrow<Isa>::store(p, narrow<Isa>::pack_u8_range(select(set, i32::set(1), i32::zero())), n);
}

// A block of channels as N pairs of vectors of f32, in order.
template <class Isa, class T, int N> struct channel_block {
    using v = vec<f32, Isa>;
    static constexpr int count = 2 * N;
    static constexpr dim_t size = count * v::size;
    template <class X> DNNL_INLINE void load(const X *p, v (&x)[count]) const {
#pragma GCC unroll 4
        for (int j = 0; j < count; ++j) x[j] = load_as_f32<Isa>(p + j * v::size);
    }
    template <class X> DNNL_INLINE void store(X *p, const v (&x)[count]) const {
#pragma GCC unroll 4
        for (int j = 0; j < count; ++j) store_as(p + j * v::size, x[j]);
    }
    DNNL_INLINE void load_flags(const u8 *p, typename v::lanes (&set)[count]) const {
#pragma GCC unroll 4
        for (int j = 0; j < count; ++j) set[j] = flags_at<Isa>(p + j * v::size);
    }
    DNNL_INLINE void store_flags(u8 *p, const typename v::lanes (&set)[count]) const {
#pragma GCC unroll 4
        for (int j = 0; j < count; ++j) store_flags_at<Isa>(p + j * v::size, set[j]);
    }
};
// For bf16 a pair holds the even and the odd channels. Their flags are bytes: the two of a pair of
// channels are loaded and stored as 16 bits.
template <class Isa, int N> struct channel_block<Isa, bf16, N> {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    using pair = block<Isa, bf16, 2>;
    static constexpr int count = 2 * N;
    static constexpr dim_t size = N * pair::size;
    template <class X> DNNL_INLINE void load(const X *p, v (&x)[count]) const {
#pragma GCC unroll 2
        for (int j = 0; j < N; ++j) {
            const pair both = pair::load(p + j * pair::size);
            x[2 * j] = both.x[0];
            x[2 * j + 1] = both.x[1];
        }
    }
    DNNL_INLINE void load_flags(const u8 *p, typename v::lanes (&set)[count]) const {
#pragma GCC unroll 2
        for (int j = 0; j < N; ++j) {
            const auto *words = reinterpret_cast<const std::uint16_t *>(p + j * pair::size);
            const i32 both = narrow<Isa>::widen_u16(narrow<Isa>::load(words, all_lanes {}));
            set[2 * j] = (both & i32::set(0xff)) != i32::zero();
            set[2 * j + 1] = (both & i32::set(0xff00)) != i32::zero();
        }
    }
    template <class X> DNNL_INLINE void store(X *p, const v (&x)[count]) const {
#pragma GCC unroll 2
        for (int j = 0; j < N; ++j) pair {{x[2 * j], x[2 * j + 1]}}.store(p + j * pair::size);
    }
    DNNL_INLINE void store_flags(u8 *p, const typename v::lanes (&set)[count]) const {
#pragma GCC unroll 2
        for (int j = 0; j < N; ++j) {
            const i32 even = select(set[2 * j], i32::set(1), i32::zero());
            const i32 both = even | select(set[2 * j + 1], i32::set(0x100), i32::zero());
            auto *words = reinterpret_cast<std::uint16_t *>(p + j * pair::size);
            narrow<Isa>::store(words, narrow<Isa>::pack16(both), all_lanes {});
        }
    }
};
// A block of the last n channels, at most a vector.
template <class Isa> struct last_channels {
    using v = vec<f32, Isa>;
    static constexpr int count = 1;
    dim_t n;
    template <class X> DNNL_INLINE void load(const X *p, v (&x)[count]) const {
        x[0] = load_up_to<Isa>(p, n);
    }
    template <class X> DNNL_INLINE void store(X *p, const v (&x)[count]) const {
        store_up_to(p, x[0], n);
    }
    DNNL_INLINE void load_flags(const u8 *p, typename v::lanes (&set)[count]) const {
        set[0] = flags_at<Isa>(p, n);
    }
    DNNL_INLINE void store_flags(u8 *p, const typename v::lanes (&set)[count]) const {
        store_flags_at<Isa>(p, set[0], n);
    }
};

// Calls body(block, column) for blocks of all columns from `begin` to `end`.
template <class Isa, class T, class Body>
DNNL_INLINE void for_blocks(dim_t begin, dim_t end, const Body &body) {
    using wide = channel_block<Isa, T, 2>;
    using pair = channel_block<Isa, T, 1>;
    constexpr dim_t vector = vec<f32, Isa>::size;
    dim_t c = begin;
    for (; c + wide::size <= end; c += wide::size) body(wide {}, c);
    for (; c + pair::size <= end; c += pair::size) body(pair {}, c);
    for (; c < end; c += vector) body(last_channels<Isa> {smaller(end - c, vector)}, c);
}

template <class X> struct rows_of {
    X *first;
    dim_t stride;
    explicit rows_of(const row_tensor &t) : first(static_cast<X *>(t.data)), stride(t.row) {}
    DNNL_INLINE X *at(dim_t row, dim_t column) const { return first + row * stride + column; }
};

// ---- Sums of channels ----

// Makes d of normalize.hpp of diff: 0 where `passed` is 0.
template <class Isa, class Block>
DNNL_INLINE void keep_passed(Block block, const rows_of<const u8> &passed, dim_t row, dim_t c,
    vec<f32, Isa> (&d)[Block::count]) {
    using v = vec<f32, Isa>;
    if (!passed.first) return;
    typename v::lanes flags[Block::count];
    block.load_flags(passed.at(row, c), flags);
#pragma GCC unroll 4
    for (int j = 0; j < Block::count; ++j) d[j] = select(flags[j], d[j], v::zero());
}

// The tensors and statistics of a term of terms.hpp.
template <class Isa, class T> struct channel_operands {
    rows_of<const T> src, diff;
    rows_of<const u8> passed;
    const f32 *mean, *inverse;
    explicit channel_operands(const normalize_args &a)
        : src(a.tile.src[0]), diff(a.tile.src[1]), passed(a.tile.src[2]), mean(a.mean.data),
          inverse(a.inverse.data) {}
};
// Keeps the statistics of a block of channels in registers and adds the elements of a row to the
// sums of the block.
template <class Isa, class T, class Term, class Block> struct term_of_block {
    using v = vec<f32, Isa>;
    const channel_operands<Isa, T> &operands;
    Block block;
    v mean[Block::count] {}, inverse[Block::count] {};
    DNNL_INLINE term_of_block(const channel_operands<Isa, T> &o, Block b, dim_t c)
        : operands(o), block(b) {
        if constexpr (Term::has_mean) block.load(o.mean + c, mean);
        if constexpr (Term::has_gradient) block.load(o.inverse + c, inverse);
    }
    DNNL_INLINE void add(dim_t row, dim_t c, v (&sums)[Term::sums][Block::count]) const {
        v x[Block::count], d[Block::count];
        block.load(operands.src.at(row, c), x);
        if constexpr (Term::has_gradient) {
            block.load(operands.diff.at(row, c), d);
            keep_passed<Isa>(block, operands.passed, row, c, d);
        }
#pragma GCC unroll 4
        for (int j = 0; j < Block::count; ++j)
            Term::add(sums[0][j], sums[Term::sums - 1][j], x[j], Term::has_gradient ? d[j] : x[j],
                mean[j], inverse[j]);
    }
};

// Adds up the rows [row, end) for one block of channels and adds the sums to `totals`.
template <class Isa, class Term, class T, class Block>
DNNL_INLINE void add_rows(const channel_operands<Isa, T> &operands, const Block &block, dim_t row,
    dim_t end, dim_t column, f32 *const (&totals)[2], dim_t at) {
    using v = vec<f32, Isa>;
    const term_of_block<Isa, T, Term, Block> rows(operands, block, column);
    v sums[Term::sums][Block::count] {};
    for (; row < end; ++row) rows.add(row, column, sums);
#pragma GCC unroll 2
    for (int t = 0; t < Term::sums; ++t) {
        v total[Block::count];
        block.load(totals[t] + at, total);
#pragma GCC unroll 4
        for (int j = 0; j < Block::count; ++j) total[j] = total[j] + sums[t][j];
        block.store(totals[t] + at, total);
    }
}

// Rows that are added up in registers for a block of channels before the next block: fewer if they
// are long, because their cache lines evict each other from L1.
[[maybe_unused]] dim_t rows_of_sums(const normalize_args &a) {
    return a.tile.columns >= 512 ? 4 : 32;
}
// Rows that are computed with the constants of a block of channels in registers. They span at most
// 4,096 bytes: a load waits for an earlier store whose address has the same low 12 bits. bf16 takes
// at least two rows, since its constants have to be separated into even and odd channels.
template <class T> dim_t rows_of_results(const normalize_args &a) {
    const dim_t rows = 4096 / (a.tile.columns * dim_t {sizeof(T)}), fewest = sizeof(T) == 2 ? 2 : 1;
    return rows < fewest ? fewest : smaller(rows, 32);
}

// Sums restart after each group of rows and after 32 groups, which bounds their rounding errors.
template <class Isa, class T, class Term> void sum_channels(const normalize_args &a) {
    constexpr dim_t strip = 512;
    const dim_t group = rows_of_sums(a), groups = 32 * group;
    const channel_operands<Isa, T> operands(a);
    alignas(64) f32 partial[2][strip];
    f32 *const partials[2] = {partial[0], partial[1]}, *const out[2] = {a.sums, a.products};
    for (dim_t first = 0; first < a.tile.columns; first += strip) {
        const dim_t end = smaller(first + strip, a.tile.columns);
        for (dim_t row = 0; row < a.tile.rows; row += groups) {
            const dim_t last = smaller(row + groups, a.tile.rows);
            for (int t = 0; t < Term::sums; ++t) __builtin_memset(partial[t], 0, sizeof *partial);
            for (dim_t r = row; r < last; r += group)
                for_blocks<Isa, T>(first, end, [&](const auto &block, dim_t c) {
                    add_rows<Isa, Term>(
                        operands, block, r, smaller(r + group, last), c, partials, c - first);
                });
            for (int t = 0; t < Term::sums; ++t)
                for (dim_t c = first; c < end; ++c) out[t][c] += partial[t][c - first];
        }
    }
}

// ---- Results ----

template <class Isa, class T> void store_results(const normalize_args &a) {
    using v = vec<f32, Isa>;
    const rows_of<const T> src(a.tile.src[0]);
    const rows_of<T> dst(a.tile.dst);
    const rows_of<u8> passed(a.tile.src[2]);
    const dim_t group = rows_of_results<T>(a);
    for (dim_t first = 0; first < a.tile.rows; first += group) {
        const dim_t end = smaller(first + group, a.tile.rows);
        for_blocks<Isa, T>(0, a.tile.columns, [&]<class Block>(const Block &block, dim_t c) {
            constexpr int count = Block::count;
            v mean[count], factor[count], scale[count], shift[count];
            block.load(a.mean.data + c, mean);
            block.load(a.inverse.data + c, factor);
            block.load(a.scale.data + c, scale);
            block.load(a.shift.data + c, shift);
#pragma GCC unroll 4
            for (int j = 0; j < count; ++j) factor[j] = factor[j] * scale[j];
            for (dim_t row = first; row < end; ++row) {
                v y[count];
                block.load(src.at(row, c), y);
#pragma GCC unroll 4
                for (int j = 0; j < count; ++j) y[j] = fma(y[j] - mean[j], factor[j], shift[j]);
                if (passed.first) {
                    typename v::lanes flags[count];
#pragma GCC unroll 4
                    for (int j = 0; j < count; ++j) flags[j] = y[j] > v::zero();
                    block.store_flags(passed.at(row, c), flags);
                }
                if (a.relu) {
#pragma GCC unroll 4
                    for (int j = 0; j < count; ++j) y[j] = max(v::zero(), y[j]); // NaN stays
                }
                block.store(dst.at(row, c), y);
            }
        });
    }
}

template <class Isa, class T> void store_gradients(const normalize_args &a) {
    using v = vec<f32, Isa>;
    const rows_of<const T> src(a.tile.src[0]), diff(a.tile.src[1]);
    const rows_of<const u8> passed(a.tile.src[2]);
    const rows_of<T> dst(a.tile.dst);
    const bool sums = a.sum_part.data;
    const dim_t group = rows_of_results<T>(a);
    for (dim_t first = 0; first < a.tile.rows; first += group) {
        const dim_t end = smaller(first + group, a.tile.rows);
        for_blocks<Isa, T>(0, a.tile.columns, [&]<class Block>(const Block &block, dim_t c) {
            constexpr int count = Block::count;
            v mean[count], inverse[count], scale[count], sum_part[count], product_part[count];
            block.load(a.mean.data + c, mean);
            block.load(a.inverse.data + c, inverse);
            block.load(a.scale.data + c, scale);
            if (sums) {
                block.load(a.sum_part.data + c, sum_part);
                block.load(a.product_part.data + c, product_part);
            }
            for (dim_t row = first; row < end; ++row) {
                v d[count], x[count];
                block.load(diff.at(row, c), d);
                keep_passed<Isa>(block, passed, row, c, d);
                if (sums) block.load(src.at(row, c), x);
#pragma GCC unroll 4
                for (int j = 0; j < count; ++j) {
                    const v scaled = d[j] * scale[j];
                    d[j] = sums ? gradient_of<Isa>(scaled, (x[j] - mean[j]) * inverse[j],
                                      inverse[j], sum_part[j], product_part[j])
                                : inverse[j] * scaled;
                }
                block.store(dst.at(row, c), d);
            }
        });
    }
}

} // namespace

#if defined(__AVX512BF16__)

// This level rounds bf16 only: its plans have tiles of that kind alone, with channels along rows.
template <> void normalize_forward<this_isa>(const normalize_args &a) {
    store_results<this_isa, bf16>(a);
}
template <> void normalize_backward<this_isa>(const normalize_args &a) {
    store_gradients<this_isa, bf16>(a);
}

#else

namespace {

// ---- Which tensors are of this kind ----

bool by_channel(const normalize_values &x) { return x.column_stride == 1 && x.row_stride == 0; }

bool has(const row_tensor &t, data_type type) { return t.type == type && t.column == 1; }

// True where src and passed, and with two sources diff, have the types that this file takes.
bool is_of_kind(const normalize_args &a, int sources) {
    const data_type type = a.tile.src[0].type;
    const row_tensor &passed = a.tile.src[2];
    if (type != data_type::f32 && type != data_type::bf16) return false;
    if (!has(a.tile.src[0], type) || (sources > 1 && !has(a.tile.src[1], type))) return false;
    return !passed.data || has(passed, data_type::u8);
}
bool adds_by_channel(const normalize_args &a, int sources) {
    return is_of_kind(a, sources) && a.sums_column_stride == 1 && a.sums_row_stride == 0;
}
bool stores_by_channel(const normalize_args &a, int sources) {
    return is_of_kind(a, sources) && has(a.tile.dst, a.tile.src[0].type) && !a.tile.finish &&
           by_channel(a.mean) && by_channel(a.inverse) && by_channel(a.scale);
}

// Calls f(T {}), T being the type of src, and returns true.
template <class F> bool with_type(const normalize_args &a, const F &f) {
    a.tile.src[0].type == data_type::f32 ? f(f32 {}) : f(bf16 {});
    return true;
}

} // namespace

template <class Isa> bool sums_by_channel(const normalize_args &a) {
    return adds_by_channel(a, 1) &&
           with_type(a, [&](auto t) { sum_channels<Isa, decltype(t), source_term<Isa>>(a); });
}
template <class Isa> bool deviations_by_channel(const normalize_args &a) {
    return adds_by_channel(a, 1) && by_channel(a.mean) &&
           with_type(a, [&](auto t) { sum_channels<Isa, decltype(t), deviation_term<Isa>>(a); });
}
template <class Isa> bool gradient_sums_by_channel(const normalize_args &a) {
    return adds_by_channel(a, 2) && !a.scale.data && by_channel(a.mean) && by_channel(a.inverse) &&
           with_type(a, [&](auto t) { sum_channels<Isa, decltype(t), gradient_term<Isa>>(a); });
}
template <class Isa> bool forward_by_channel(const normalize_args &a) {
    return stores_by_channel(a, 1) && by_channel(a.shift) &&
           with_type(a, [&](auto t) { store_results<Isa, decltype(t)>(a); });
}
template <class Isa> bool backward_by_channel(const normalize_args &a) {
    const bool parts = by_channel(a.sum_part) && by_channel(a.product_part);
    return stores_by_channel(a, 2) && (parts || !a.sum_part.data) &&
           with_type(a, [&](auto t) { store_gradients<Isa, decltype(t)>(a); });
}

template bool sums_by_channel<this_isa>(const normalize_args &);
template bool deviations_by_channel<this_isa>(const normalize_args &);
template bool gradient_sums_by_channel<this_isa>(const normalize_args &);
template bool forward_by_channel<this_isa>(const normalize_args &);
template bool backward_by_channel<this_isa>(const normalize_args &);

#endif

} // namespace dnnl::impl::cpu
