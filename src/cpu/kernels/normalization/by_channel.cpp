// SPDX-License-Identifier: Apache-2.0
// Normalization of rows whose columns are channels with statistics of their own; see normalize.hpp.
// The sums or constants of a block of channels stay in registers over several rows.
#include "cpu/kernels/normalization/normalize.hpp"

#include "cpu/kernels/normalization/terms.hpp"
#include "cpu/simd/block.hpp"
#include "cpu/simd/store_pair.hpp"

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

// A block of channels as N pairs of vectors of f32. For bf16 a pair holds the even and the odd
// channels, whose flags are loaded and stored as 16 bits.
template <class Isa, class T, int N> struct channel_block {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    using vectors = block<Isa, T, 2 * N>;
    static constexpr int count = vectors::count;
    static constexpr dim_t size = vectors::size;
    template <class X> DNNL_INLINE void load(const X *p, v (&x)[count]) const {
        const vectors all = vectors::load(p);
        for_each_of<count>([&](int j) { x[j] = all.x[j]; });
    }
    template <class X> DNNL_INLINE void store(X *p, const v (&x)[count]) const {
        vectors all;
        for_each_of<count>([&](int j) { all.x[j] = x[j]; });
        all.store(p);
    }
    DNNL_INLINE void store_results(T *p, const v (&x)[count], bool past) const {
        if constexpr (vectors::in_pairs)
            for_each_of<N>([&](int j) {
                store_register(
                    p + 2 * j * v::size, rounded_pairs<Isa>(x[2 * j], x[2 * j + 1]), past);
            });
        else if constexpr (sizeof(T) == 1)
            for_each_of<N>([&](int j) {
                const v most = v::set(127.0f);
                store_pair(p + 2 * j * v::size, min(most, x[2 * j]), min(most, x[2 * j + 1]));
            });
        else
            for_each_of<count>([&](int j) { store_register(p + j * v::size, x[j], past); });
    }
    DNNL_INLINE void load_flags(const u8 *p, typename v::lanes (&set)[count]) const {
        if constexpr (vectors::in_pairs)
            for_each_of<N>([&](int j) {
                const auto *words = reinterpret_cast<const std::uint16_t *>(p + 2 * j * v::size);
                const i32 both = narrow<Isa>::widen_u16(narrow<Isa>::load(words, all_lanes {}));
                set[2 * j] = (both & i32::set(0xff)) != i32::zero();
                set[2 * j + 1] = (both & i32::set(0xff00)) != i32::zero();
            });
        else
            for_each_of<count>([&](int j) { set[j] = flags_at<Isa>(p + j * v::size); });
    }
    DNNL_INLINE void store_flags(u8 *p, const typename v::lanes (&set)[count]) const {
        if constexpr (vectors::in_pairs)
            for_each_of<N>([&](int j) {
                const i32 even = select(set[2 * j], i32::set(1), i32::zero());
                const i32 both = even | select(set[2 * j + 1], i32::set(0x100), i32::zero());
                auto *words = reinterpret_cast<std::uint16_t *>(p + 2 * j * v::size);
                narrow<Isa>::store(words, narrow<Isa>::pack16(both), all_lanes {});
            });
        else
            for_each_of<count>([&](int j) { store_flags_at<Isa>(p + j * v::size, set[j]); });
    }
};
// A block of the last n channels, at most a vector.
template <class Isa> struct last_channels {
    using v = vec<f32, Isa>;
    static constexpr int count = 1;
    static constexpr dim_t size = v::size;
    dim_t n;
    template <class X> DNNL_INLINE void load(const X *p, v (&x)[count]) const {
        x[0] = load_up_to<Isa>(p, n);
    }
    template <class X> DNNL_INLINE void store(X *p, const v (&x)[count]) const {
        store_up_to(p, x[0], n);
    }
    template <class X> DNNL_INLINE void store_results(X *p, const v (&x)[count], bool) const {
        store(p, x);
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
    /// Brings `count` elements that are read later.
    DNNL_INLINE void ask_for(dim_t row, dim_t column, dim_t count) const {
        constexpr dim_t line = 64 / sizeof(X);
#pragma GCC unroll 4
        for (dim_t c = 0; c < count; c += line) __builtin_prefetch(at(row, column + c), 0, 2);
    }
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
    for_each_of<Block::count>([&](int j) { d[j] = select(flags[j], d[j], v::zero()); });
}

// The tensors and statistics of a term of terms.hpp.
template <class Isa, class T> struct channel_operands {
    rows_of<const T> src, diff;
    rows_of<const u8> passed;
    const f32 *mean, *inverse;
    dim_t ahead = 0;
    explicit channel_operands(const normalize_args &a)
        : src(a.tile.src[0]), diff(a.tile.src[1]), passed(a.tile.src[2]), mean(a.mean.data),
          inverse(a.inverse.data) {}
};

// Adds up the rows [row, end) for one block of channels, whose statistics stay in registers, and
// adds the sums to `totals`.
template <class Isa, class Term, class T, class Block>
DNNL_INLINE void add_rows(const channel_operands<Isa, T> &operands, const Block &block, dim_t row,
    dim_t end, dim_t c, f32 *const (&totals)[2], dim_t at) {
    using v = vec<f32, Isa>;
    constexpr int count = Block::count;
    v mean[count] {}, inverse[count] {}, sums[Term::sums][count] {};
    if constexpr (Term::has_mean) block.load(operands.mean + c, mean);
    if constexpr (Term::has_gradient) block.load(operands.inverse + c, inverse);
    for (; row < end; ++row) {
        v x[count], d[count];
        block.load(operands.src.at(row, c), x);
        if (operands.ahead) operands.src.ask_for(row + operands.ahead, c, Block::size);
        if constexpr (Term::has_gradient) {
            block.load(operands.diff.at(row, c), d);
            if (operands.ahead) operands.diff.ask_for(row + operands.ahead, c, Block::size);
            keep_passed<Isa>(block, operands.passed, row, c, d);
        }
        for_each_of<count>([&](int j) {
            Term::add(sums[0][j], sums[Term::sums - 1][j], x[j], Term::has_gradient ? d[j] : x[j],
                mean[j], inverse[j]);
        });
    }
    for_each_of<Term::sums>([&](int t) {
        v total[count];
        block.load(totals[t] + at, total);
        for_each_of<count>([&](int j) { total[j] = total[j] + sums[t][j]; });
        block.store(totals[t] + at, total);
    });
}

// Rows whose sums or constants stay in registers for a block of channels before the next block: so
// many bytes of them, up to 32 rows, but at least `fewest`.
template <class T> dim_t rows_of_block(const normalize_args &a, dim_t bytes, dim_t fewest) {
    const dim_t rows = bytes / (a.tile.columns * dim_t {sizeof(T)});
    return rows < fewest ? fewest : smaller(rows, 32);
}
// A load waits for an earlier store whose address has the same low 12 bits. But the constants of
// rows so long come from L2.
template <class T> dim_t rows_of_results(const normalize_args &a) {
    return rows_of_block<T>(a, 4096, 4);
}
// True where results go past the caches, because the tensors exceed them: whole lines of results.
template <class T> bool passes_caches(const normalize_args &a) {
    return a.tile.passes(a.tile.dst.data) && a.tile.dst.row * dim_t {sizeof(T)} % 64 == 0;
}
// How many rows ahead elements are asked for: the next group's, where tensors come from L3 or
// memory and a processor sees no stream, because it reads some blocks of channels of each row.
template <class T> dim_t rows_ahead(const normalize_args &a, dim_t group) {
    return a.tensor_bytes > 1 << 24 && a.tile.columns * dim_t {sizeof(T)} > 256 ? group : 0;
}

// Sums restart after each group of rows and after 32 groups, which bounds their rounding errors.
template <class Isa, class T, class Term> void sum_channels(const normalize_args &a) {
    constexpr dim_t strip = 512;
    // Cache lines of more rows evict each other from L1.
    const dim_t group = rows_of_block<T>(a, 8192, 8), groups = 32 * group;
    channel_operands<Isa, T> operands(a);
    operands.ahead = rows_ahead<T>(a, group);
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
    const dim_t group = rows_of_results<T>(a), ahead = rows_ahead<T>(a, group);
    const bool past = passes_caches<T>(a);
    for (dim_t first = 0; first < a.tile.rows; first += group) {
        const dim_t end = smaller(first + group, a.tile.rows);
        for_blocks<Isa, T>(0, a.tile.columns, [&]<class Block>(const Block &block, dim_t c) {
            constexpr int count = Block::count;
            v mean[count], factor[count], scale[count], shift[count];
            block.load(a.mean.data + c, mean);
            block.load(a.inverse.data + c, factor);
            block.load(a.scale.data + c, scale);
            block.load(a.shift.data + c, shift);
            for_each_of<count>([&](int j) { factor[j] = factor[j] * scale[j]; });
            for (dim_t row = first; row < end; ++row) {
                v y[count];
                block.load(src.at(row, c), y);
                if (ahead) src.ask_for(row + ahead, c, Block::size);
                for_each_of<count>([&](int j) { y[j] = fma(y[j] - mean[j], factor[j], shift[j]); });
                if (sizeof(T) > 1 && passed.first) { // bytes do not train
                    typename v::lanes flags[count];
                    for_each_of<count>([&](int j) { flags[j] = y[j] > v::zero(); });
                    block.store_flags(passed.at(row, c), flags);
                }
                if (a.relu)
                    for_each_of<count>([&](int j) { y[j] = max(v::zero(), y[j]); }); // NaN stays
                block.store_results(dst.at(row, c), y, past);
            }
        });
    }
    if (past) _mm_sfence();
}

template <class Isa, class T> void store_gradients(const normalize_args &a) {
    using v = vec<f32, Isa>;
    const rows_of<const T> src(a.tile.src[0]), diff(a.tile.src[1]);
    const rows_of<const u8> passed(a.tile.src[2]);
    const rows_of<T> dst(a.tile.dst);
    const bool sums = a.sum_part.data;
    const dim_t group = rows_of_results<T>(a), ahead = rows_ahead<T>(a, group);
    const bool past = passes_caches<T>(a);
    for (dim_t first = 0; first < a.tile.rows; first += group) {
        const dim_t end = smaller(first + group, a.tile.rows);
        for_blocks<Isa, T>(0, a.tile.columns, [&]<class Block>(const Block &block, dim_t c) {
            constexpr int count = Block::count;
            // inverse * (scale * d - (sum_part + z * product_part)) with all factors of d and of
            // x - mean multiplied beforehand.
            v mean[count], inverse[count], of_diff[count], of_source[count] {}, constant[count] {};
            block.load(a.mean.data + c, mean);
            block.load(a.inverse.data + c, inverse);
            block.load(a.scale.data + c, of_diff);
            if (sums) {
                block.load(a.sum_part.data + c, constant);
                block.load(a.product_part.data + c, of_source);
            }
#pragma GCC unroll 4
            for (int j = 0; j < count; ++j) {
                const v negative = v::zero() - inverse[j];
                of_diff[j] = of_diff[j] * inverse[j];
                of_source[j] = of_source[j] * inverse[j] * negative;
                constant[j] = constant[j] * negative;
            }
            for (dim_t row = first; row < end; ++row) {
                v d[count], x[count];
                block.load(diff.at(row, c), d);
                if (ahead) {
                    diff.ask_for(row + ahead, c, Block::size);
                    src.ask_for(row + ahead, c, Block::size);
                }
                keep_passed<Isa>(block, passed, row, c, d);
                if (sums) block.load(src.at(row, c), x);
                for_each_of<count>([&](int j) {
                    d[j] =
                        sums ? fma(d[j], of_diff[j], fma(x[j] - mean[j], of_source[j], constant[j]))
                             : d[j] * of_diff[j];
                });
                block.store_results(dst.at(row, c), d, past);
            }
        });
    }
    if (past) _mm_sfence();
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

// True where the tensors of a step have the types that this file takes, and one value a column.
bool takes(normalize_step step, const normalize_args &a) {
    const bool gradient = step == normalize_step::gradient_sums || step == normalize_step::backward;
    const row_tensor &src = a.tile.src[0], &diff = a.tile.src[1], &passed = a.tile.src[2];
    const data_type type = src.type;
    const bool bytes = type == data_type::s8 && step == normalize_step::forward && !passed.data;
    if ((type != data_type::f32 && type != data_type::bf16 && !bytes) || !has(src, type))
        return false;
    if ((gradient && !has(diff, type)) || (passed.data && !has(passed, data_type::u8)))
        return false;
    if (!by_channel(a.mean)) return false;
    if (step <= normalize_step::gradient_sums)
        return a.sums_column_stride == 1 && a.sums_row_stride == 0 &&
               (!gradient || (!a.scale.data && by_channel(a.inverse)));
    const bool parts = by_channel(a.sum_part) && by_channel(a.product_part);
    return has(a.tile.dst, type) && !a.tile.finish && by_channel(a.inverse) &&
           by_channel(a.scale) && (gradient ? parts || !a.sum_part.data : by_channel(a.shift));
}

} // namespace

template <class Isa> bool run_by_channel(normalize_step step, const normalize_args &a) {
    if (!takes(step, a)) return false;
    const auto run = [&]<class T>(T) {
        switch (step) {
        case normalize_step::sums: return sum_channels<Isa, T, source_term<Isa>>(a);
        case normalize_step::deviations: return sum_channels<Isa, T, deviation_term<Isa>>(a);
        case normalize_step::gradient_sums: return sum_channels<Isa, T, gradient_term<Isa>>(a);
        case normalize_step::forward: return store_results<Isa, T>(a);
        case normalize_step::backward: return store_gradients<Isa, T>(a);
        }
    };
    if (a.tile.src[0].type == data_type::s8)
        store_results<Isa, s8>(a);
    else
        a.tile.src[0].type == data_type::f32 ? run(f32 {}) : run(bf16 {});
    return true;
}
template bool run_by_channel<this_isa>(normalize_step, const normalize_args &);

#endif

} // namespace dnnl::impl::cpu
