// SPDX-License-Identifier: Apache-2.0
// The epilogue on rows of accumulators (doc/epilogue.md has the arithmetic). A block of at most
// 2048 values is kept as f32 in L1, and each stage of the epilogue is one pass over it. Its rows
// are padded to whole vectors, so that only loads from and stores to other memory are partial.
#include "cpu/kernels/epilogue/common_epilogue.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/simd/eltwise.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {
namespace {

constexpr dim_t block_size = 2048; // values; 8 KiB

// Part of the rows and columns of a call: values x[row][padded_columns].
struct block {
    const epilogue_rows_args *call;
    f32 *x;
    dim_t row, column; // first, in the call
    dim_t rows, columns, padded_columns;
};

DNNL_INLINE const char *dst_row(const block &b, dim_t i) {
    const epilogue_rows_args &e = *b.call;
    return element_at(static_cast<const char *>(e.dst) + (b.row + i) * e.dst_stride_bytes,
        e.finish->dst_type, b.column);
}
DNNL_INLINE const char *acc_row(const block &b, dim_t i) {
    const epilogue_rows_args &e = *b.call;
    return static_cast<const char *>(e.acc) + (b.row + i) * e.acc_stride_bytes + b.column * 4;
}

// x = f(x) for all values of the block, padding included.
template <class Isa, class F> void map(const block &b, const F &f) {
    using v = vec<f32, Isa>;
    for (dim_t p = 0; p < b.rows * b.padded_columns; p += v::size)
        f(v::load(b.x + p)).store(b.x + p);
}

// acc - compensation[j] - row_compensation[i] * row_factors[j] in the columns [j, j + n).
template <class Isa> struct compensated_columns {
    using i32 = vec<s32, Isa>;
    i32 columns, factors;
    const s32 *rows; // or null
    DNNL_INLINE compensated_columns(const epilogue &f, dim_t j, dim_t n)
        : columns(f.compensation ? load_up_to<Isa, s32>(f.compensation + j, n) : i32::zero()),
          factors(f.row_factors ? load_up_to<Isa, s32>(f.row_factors + j, n) : i32::set(1)),
          rows(f.row_compensation) {}
    DNNL_INLINE i32 of(i32 acc, dim_t i) const {
        const i32 rest = acc - columns;
        return rows ? rest - i32::set(rows[i]) * factors : rest;
    }
};

DNNL_INLINE dim_t row_index(const block &b, dim_t i = 0) {
    return b.call->position[row_dim] + b.row + i;
}
DNNL_INLINE dim_t column_index(const block &b) { return b.call->position[column_dim] + b.column; }

// Loads one number per column from a vector with stride 1 or 0.
template <class Isa, class T>
DNNL_INLINE vec<f32, Isa> per_column(const T *values, dim_t stride, dim_t j, dim_t n) {
    return stride ? load_up_to<Isa>(values + j, n) : vec<f32, Isa>::set(static_cast<f32>(*values));
}

// The elements of an operand that belong to the values of a block: `row` and `column` elements lie
// from row to row and from column to column.
struct block_operand {
    const void *first;
    data_type type;
    dim_t row, column;
};

// Calls body(i, p, y) for each vector of the block, in row i from column p on, with the elements y
// of the operand that belong to it.
template <class Isa, class Body>
DNNL_INLINE void for_operand(const block &b, const block_operand &o, const Body &body) {
    using v = vec<f32, Isa>;
    if (Isa::vector_bytes == 16 || o.column > 1) { // lanes far from each other, or small code
        alignas(64) f32 y[block_size];
        v::zero().store(y + b.padded_columns - v::size);
        for (dim_t i = 0; i < b.rows; ++i) {
            row_to_f32<Isa>(element_at(o.first, o.type, i * o.row), o.type, o.column, b.columns, y);
            for_vectors<Isa>(b.columns, [&](dim_t p, dim_t) { body(i, p, v::load(y + p)); });
        }
        return;
    }
    if constexpr (Isa::vector_bytes > 16)
        with_activation(o.type, [&](auto t) {
            const auto *from = static_cast<const decltype(t) *>(o.first);
            for (dim_t i = 0; i < b.rows; ++i, from += o.row) {
                alignas(64) f32 first[v::size];
                if (o.column == 0) load_as_f32<Isa>(from, dim_t {1}).store(first);
                const v same = v::set(o.column == 0 ? *first : 0.0f);
                for_vectors<Isa>(b.columns, [&](dim_t p, dim_t n) {
                    body(i, p, o.column == 0 ? same : load_up_to<Isa>(from + p, n));
                });
            }
        });
}

block_operand operand_of(const block &b, const epilogue_step &s) {
    const dim_t first = offset_at(b.call->position, s.strides) + b.row * s.strides[row_dim] +
                        b.column * s.strides[column_dim];
    return {element_at(s.operand, s.operand_type, first), s.operand_type, s.strides[row_dim],
        s.strides[column_dim]};
}

// x = fma(f32(acc - compensation), row_scales[i] * scales[j], bias); absent: neutral, -0 in sums.
template <class Isa, class Acc> void begin_rows(const block &b) {
    using v = vec<f32, Isa>;
    const epilogue f = *b.call->finish; // a copy, which no store can change
    const dim_t i0 = row_index(b), j0 = column_index(b), stride_bytes = b.call->acc_stride_bytes;
    // With a bias that is an operand, x is scaled when the bias is added.
    const f32 *scales = f.bias_operand ? nullptr : f.scales;
    const f32 *row_scales = f.bias_operand ? nullptr : f.row_scales;
    for_vectors<Isa>(b.columns, [&](dim_t p, dim_t n) {
        const v scale = scales ? per_column<Isa>(scales, f.scale_stride, j0 + p, n) : v::set(1.0f);
        const v bias = f.bias ? load_up_to<Isa>(f.bias + j0 + p, n) : v::set(-0.0f);
        const compensated_columns<Isa> compensation(f, j0 + p, n);
        const char *row = acc_row(b, 0) + p * dim_t {sizeof(Acc)};
        f32 *x = b.x + p;
        for (dim_t i = 0; i < b.rows; ++i, row += stride_bytes, x += b.padded_columns) {
            const auto acc = load_up_to<Isa, Acc>(reinterpret_cast<const Acc *>(row), n);
            v value;
            if constexpr (__is_same(Acc, f32))
                value = acc;
            else
                value = to_f32(compensation.of(acc, i0 + i));
            const v factor = row_scales ? v::set(row_scales[i0 + i]) * scale : scale;
            fma(value, factor, bias).store(x);
        }
    });
    if (!f.bias_operand) return;
    for_operand<Isa>(b, operand_of(b, *f.bias_operand), [&](dim_t i, dim_t p, v bias) {
        v scale = v::set(f.row_scales ? f.row_scales[i0 + i] : 1.0f);
        if (f.scales)
            scale = scale * per_column<Isa>(f.scales, f.scale_stride, j0 + p, b.columns - p);
        f32 *x = b.x + i * b.padded_columns + p;
        fma(v::load(x), scale, bias).store(x);
    });
}

template <class Isa> void apply_eltwise(const block &b, const epilogue_step &s) {
    using v = vec<f32, Isa>;
    with_eltwise<Isa>(s.alg, s.alpha, s.beta, [&](auto f) { map<Isa>(b, f); });
    if (s.scale == 1.0f) return;
    const v scale = v::set(s.scale);
    map<Isa>(b, [=](v x) { return scale * x; });
}

// x = condition != 0 ? x : the operand of s. Rows of both are made f32 first, so that there is one
// piece of code for all types and broadcasts.
template <class Isa>
void apply_select(const block &b, const epilogue_step &condition, const epilogue_step &s) {
    using v = vec<f32, Isa>;
    alignas(64) f32 keeps[block_size], others[block_size];
    const auto widen = [&](const block_operand &o, dim_t i, f32 *to) {
        if (i > 0 && o.row == 0) return; // the same for all rows
        v::zero().store(to + b.padded_columns - v::size);
        row_to_f32<Isa>(element_at(o.first, o.type, i * o.row), o.type, o.column, b.columns, to);
    };
    const block_operand which = operand_of(b, condition), other = operand_of(b, s);
    for (dim_t i = 0; i < b.rows; ++i) {
        widen(which, i, keeps);
        widen(other, i, others);
        f32 *x = b.x + i * b.padded_columns;
        for_vectors<Isa>(b.columns, [&](dim_t p, dim_t) {
            const auto keep = v::load(keeps + p) != v::zero();
            select(keep, v::load(x + p), v::load(others + p)).store(x + p);
        });
    }
}

template <class Isa> void apply_steps(const block &b) {
    using v = vec<f32, Isa>;
    const epilogue_rows_args &e = *b.call;
    for (int n = 0; n < e.finish->step_count; ++n) {
        const epilogue_step &s = e.finish->steps[n];
        // x = f(x, y) for the elements y of an operand
        const auto combine = [&](const block_operand &operand, auto f) {
            for_operand<Isa>(b, operand, [&](dim_t i, dim_t p, v y) {
                f32 *x = b.x + i * b.padded_columns + p;
                f(v::load(x), y).store(x);
            });
        };
        switch (s.what) {
        case epilogue_step::kind::eltwise: apply_eltwise<Isa>(b, s); break;
        case epilogue_step::kind::sum: {
            const v scale = v::set(s.scale), zero_point = v::set(static_cast<f32>(s.zero_point));
            const dim_t row = e.dst_stride_bytes / size_in_bytes(s.operand_type);
            combine({dst_row(b, 0), s.operand_type, row, 1},
                [=](v x, v y) { return fma(y - zero_point, scale, x); });
            break;
        }
        case epilogue_step::kind::binary:
            with_binary<Isa>(s.alg, [&](auto f) { combine(operand_of(b, s), f); });
            break;
        case epilogue_step::kind::prelu:
            combine(operand_of(b, s), [](v x, v w) { return select(x > v::zero(), x, x * w); });
            break;
        case epilogue_step::kind::condition: break;
        case epilogue_step::kind::select: apply_select<Isa>(b, (&s)[-1], s); break;
        }
    }
}

// ---- Random words, and the steps that depend on them ----

/// Returns the high half of the unsigned product of each lane and c.
template <class Isa> DNNL_INLINE vec<s32, Isa> multiply_high(vec<s32, Isa> a, std::uint32_t c) {
    using i32 = vec<s32, Isa>;
    const i32 factor = i32::set(static_cast<s32>(c)), one = i32::set(1);
    const i32 even {srli_epi64<32>(mul_epu32(a.v, factor.v))};
    const i32 odd {mul_epu32(srli_epi64<32>(a.v), factor.v)};
    return select((i32::iota() & one) == one, odd, even);
}

/// A counter of Philox 4x32 for each lane.
template <class Isa> struct philox_counter { vec<s32, Isa> c0, c1, c2, c3; };

/// Makes the four words of Philox 4x32 of each lane's counter in ten rounds and returns the one
/// that `word` names (random_word() in common/attributes says which counters and keys).
template <class Isa>
DNNL_INLINE vec<s32, Isa> random_words(
    philox_counter<Isa> c, std::uint32_t key0, std::uint32_t key1, vec<s32, Isa> word) {
    using i32 = vec<s32, Isa>;
    constexpr std::uint32_t p = 0xD2511F53u, q = 0xCD9E8D57u;
    for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
        const i32 low_p = c.c0 * i32::set(static_cast<s32>(p)), high_p = multiply_high(c.c0, p);
        const i32 low_q = c.c2 * i32::set(static_cast<s32>(q)), high_q = multiply_high(c.c2, q);
        c.c0 = high_q ^ c.c1 ^ i32::set(static_cast<s32>(key0));
        c.c1 = low_q;
        c.c2 = high_p ^ c.c3 ^ i32::set(static_cast<s32>(key1));
        c.c3 = low_p;
    }
    const i32 low_pair = select(word == i32::zero(), c.c0, c.c1);
    const i32 high_pair = select(word == i32::set(2), c.c2, c.c3);
    return select(word > i32::set(1), high_pair, low_pair);
}

/// Random words of a sequence without an offset: index and seed have 32 bits.
template <class Isa> DNNL_INLINE vec<s32, Isa> random_words(vec<s32, Isa> index, s32 seed) {
    using i32 = vec<s32, Isa>;
    const i32 word = index & i32::set(3), first = index - word;
    const auto key = static_cast<std::uint32_t>(seed);
    return random_words<Isa>(
        {first, first + i32::set(1), first + i32::set(2), first + i32::set(3)}, key, key, word);
}

/// Random words of a sequence with a 64-bit offset. The index comes as its low and high 32 bits.
template <class Isa>
DNNL_INLINE vec<s32, Isa> random_words(
    vec<s32, Isa> low_index, vec<s32, Isa> high_index, std::uint64_t seed, std::uint64_t offset) {
    using i32 = vec<s32, Isa>;
    const i32 word = low_index & i32::set(3);
    const auto half = [](std::uint64_t x, int shift) {
        return i32::set(static_cast<s32>(static_cast<std::uint32_t>(x >> shift)));
    };
    return random_words<Isa>({half(offset, 0), half(offset, 32), low_index - word, high_index},
        static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), word);
}

// The offsets in dst of the elements of one vector: `first`, and a step from lane to lane.
struct lane_offsets {
    dim_t first, step;
    DNNL_INLINE dim_t of(dim_t lane) const { return first + lane * step; }
};

// Returns the random words of dropout for the elements at these offsets.
template <class Isa>
DNNL_INLINE vec<s32, Isa> dropout_words(const random_steps &r, lane_offsets at) {
    using i32 = vec<s32, Isa>;
    alignas(64) s32 low[i32::size], high[i32::size];
    for (dim_t q = 0; q < i32::size; ++q) {
        low[q] = static_cast<s32>(at.of(q));
        high[q] = static_cast<s32>(at.of(q) >> 32);
    }
    const i32 low_index = i32::load(low);
    if (r.dropout_offset == 0) return random_words(low_index, static_cast<s32>(r.dropout_seed));
    return random_words(low_index, i32::load(high), r.dropout_seed, r.dropout_offset);
}

// Drops elements of x or scales them up, and stores the mask of the first n.
template <class Isa>
DNNL_INLINE vec<f32, Isa> drop_out(
    vec<f32, Isa> x, const random_steps &r, lane_offsets at, dim_t n) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    const i32 sign = i32::set(INT32_MIN); // turns unsigned order into signed order
    const i32 words = dropout_words<Isa>(r, at) ^ sign;
    const auto keep = words > (i32::set(static_cast<s32>(r.dropout_threshold)) ^ sign);
    if (r.dropout_mask) {
        alignas(64) s32 lanes[v::size];
        select(keep, i32::set(1), i32::zero()).store(lanes);
        for (dim_t q = 0; q < n; ++q) r.dropout_mask[at.of(q)] = static_cast<u8>(lanes[q]);
    }
    return select(keep, x * v::set(r.dropout_scale), v::zero());
}

// Rounds x stochastically: adds random bits below those that dst's type keeps, then cuts x to it.
template <class Isa>
DNNL_INLINE vec<f32, Isa> round_stochastically(
    vec<f32, Isa> x, const random_steps &r, lane_offsets at) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    alignas(64) s32 lanes[v::size];
    const int per_word = r.rounding_per_word, bits = 32 / per_word;
    for (dim_t q = 0; q < v::size; ++q) lanes[q] = static_cast<s32>(at.of(q) / per_word);
    random_words(i32::load(lanes), r.rounding_seed).store(lanes);
    for (dim_t q = 0; q < v::size; ++q) {
        const auto word = static_cast<std::uint32_t>(lanes[q]);
        const std::uint32_t part = word >> (at.of(q) % per_word * bits) & ((1u << bits) - 1);
        lanes[q] = static_cast<s32>(part & ~r.rounding_kept);
    }
    const i32 sum = as_s32(x) + i32::load(lanes);
    const v cut = as_f32(sum & i32::set(static_cast<s32>(r.rounding_kept)));
    const v rounded = min(max(cut, v::set(-r.rounding_max)), v::set(r.rounding_max));
    const v magnitude = copy_sign(rounded, v::zero());
    const auto subnormal = (magnitude > v::zero()) & (magnitude < v::set(r.rounding_min_normal));
    return select(is_nan(x), x, select(subnormal, v::zero(), rounded));
}

// Returns where a vector lies in the user's dst: row i, p columns from the block's first.
DNNL_INLINE lane_offsets offsets_in_dst(const block &b, dim_t i, dim_t p) {
    const random_steps &r = *b.call->finish->random;
    const dim_t first = r.first + offset_at(b.call->position, r.strides);
    return {first + (b.row + i) * r.strides[row_dim] + (b.column + p) * r.strides[column_dim],
        r.strides[column_dim]};
}

template <class Isa> void apply_dropout(const block &b) {
    using v = vec<f32, Isa>;
    const random_steps *r = b.call->finish->random;
    if (!r || !r->drops_out) return;
    for (dim_t i = 0; i < b.rows; ++i) {
        f32 *row = b.x + i * b.padded_columns;
        for_vectors<Isa>(b.columns, [&](dim_t p, dim_t n) {
            drop_out<Isa>(v::load(row + p), *r, offsets_in_dst(b, i, p), n).store(row + p);
        });
    }
}

// dst = saturate(round(x / dst_scale + dst_zero_point))
template <class Isa, class T> void store_rows(const block &b) {
    using v = vec<f32, Isa>;
    const epilogue f = *b.call->finish; // a copy, which no store can change
    const bool stochastic = f.random && f.random->rounding_per_word;
    const dst_scale_quotient<Isa> quotient(f);
    const f32 largest_byte = __is_same(T, u8) ? 255.0f : 127.0f;
    for (dim_t i = 0; i < b.rows; ++i) {
        T *dst = reinterpret_cast<T *>(const_cast<char *>(dst_row(b, i)));
        const f32 *from = b.x + i * b.padded_columns;
        const auto finished = [&](dim_t p) __attribute__((always_inline)) {
            if (p >= b.padded_columns) return v::zero(); // the right one of the last pair
            v x = quotient(v::load(from + p));
            if (f.dst_zero_points)
                x = x + per_column<Isa>(f.dst_zero_points, f.dst_zero_point_stride,
                            column_index(b) + p, b.columns - p);
            if (stochastic) x = round_stochastically<Isa>(x, *f.random, offsets_in_dst(b, i, p));
            if constexpr (is_byte<T>) x = min(v::set(largest_byte), x);
            return x;
        };
        for (dim_t p = 0; p < b.columns; p += 2 * v::size)
            store_pair(
                dst + p, finished(p), finished(p + v::size), smaller(b.columns - p, 2 * v::size));
    }
}

template <class Isa> void store_block(const block &b) {
    with_activation(b.call->finish->dst_type, [&](auto t) { store_rows<Isa, decltype(t)>(b); });
}

// ---- Integers: s32 to s32, exact where f32 would drop low bits ----

// Adds up to 2^15 integers in two halves, high * 2^16 + low.
template <class Isa> struct long_sum {
    vec<s32, Isa> high, low;

    DNNL_INLINE explicit long_sum(vec<s32, Isa> x)
        : high(shift_right_signed<16>(x)), low(x & vec<s32, Isa>::set(0xffff)) {}
    DNNL_INLINE void add(vec<s32, Isa> x) {
        high = high + shift_right_signed<16>(x);
        low = low + (x & vec<s32, Isa>::set(0xffff));
    }
    DNNL_INLINE vec<s32, Isa> saturated() const {
        using i32 = vec<s32, Isa>;
        const i32 top = high + shift_right<16>(low);
        const i32 x = shift_left<16>(top) | (low & i32::set(0xffff));
        const i32 above = select(top > i32::set(0x7fff), i32::set(0x7fffffff), x);
        return select(top < i32::set(-0x8000), i32::set(-0x7fffffff - 1), above);
    }
};

// Loads n elements of an s32 operand for the columns from p on.
template <class Isa>
DNNL_INLINE vec<s32, Isa> load_integers(const s32 *row, dim_t stride, dim_t p, dim_t n) {
    if (stride == 1) return load_up_to<Isa, s32>(row + p, n);
    s32 lanes[vec<s32, Isa>::size] = {};
    for (dim_t q = 0; q < n; ++q) lanes[q] = row[(p + q) * stride];
    return vec<s32, Isa>::load(lanes);
}

// dst = acc, compensated, + bias + previous dst, saturated.
template <class Isa> void store_integers(const epilogue_rows_args &e) {
    const epilogue &f = *e.finish;
    const epilogue_step *bias = f.bias_operand;
    const bool plain = !bias && f.step_count == 0;
    const dim_t first = bias ? offset_at(e.position, bias->strides) : 0;
    block b {&e, nullptr, 0, 0, e.rows, e.columns, 0};
    for (dim_t i = 0; i < e.rows; ++i) {
        const s32 *acc = reinterpret_cast<const s32 *>(acc_row(b, i));
        s32 *dst = reinterpret_cast<s32 *>(const_cast<char *>(dst_row(b, i)));
        const s32 *biases =
            bias ? static_cast<const s32 *>(bias->operand) + first + i * bias->strides[row_dim]
                 : nullptr;
        for_vectors<Isa>(e.columns, [&](dim_t p, dim_t n) {
            const compensated_columns<Isa> compensation(f, column_index(b) + p, n);
            const auto x = compensation.of(load_up_to<Isa, s32>(acc + p, n), row_index(b, i));
            if (plain) return x.store(dst + p, n);
            long_sum<Isa> sum(x);
            if (bias) sum.add(load_integers<Isa>(biases, bias->strides[column_dim], p, n));
            if (f.step_count) sum.add(load_up_to<Isa, s32>(dst + p, n));
            sum.saturated().store(dst + p, n);
        });
    }
}

// ---- The commonest epilogues: one pass, no values in between ----

// Applies one of the commonest epilogues; returns false, with nothing done, when it is another one.
// It takes up to 16 rows of up to 64 columns at a time, so that cache lines of acc and dst are
// still in L1 when their next columns come.
template <class Isa> bool one_pass(const epilogue_rows_args &e) {
    constexpr dim_t rows_at_once = 16, columns_at_once = 64;
    const dim_t acc_size = size_in_bytes(e.acc_type), dst_size = size_in_bytes(e.finish->dst_type);
    common_columns columns;
    epilogue_rows_args part = e;
    for (dim_t column = 0; column < e.columns; column += columns_at_once) {
        part.columns = smaller(e.columns - column, columns_at_once);
        const auto finish =
            common_rows<Isa>(*e.finish, e.acc_type, e.position, column, part.columns, columns);
        if (!finish) return false;
        for (dim_t row = 0; row < e.rows; row += rows_at_once) {
            part.rows = smaller(e.rows - row, rows_at_once);
            part.acc = moved(
                static_cast<const char *>(e.acc), row * e.acc_stride_bytes + column * acc_size);
            part.dst =
                moved(static_cast<char *>(e.dst), row * e.dst_stride_bytes + column * dst_size);
            part.position[row_dim] = e.position[row_dim] + row;
            finish(columns, part);
        }
    }
    return true;
}

} // namespace

template <class Isa> void epilogue_rows(const epilogue_rows_args &args) {
    constexpr dim_t size = vec<f32, Isa>::size;
    if (args.acc_type == data_type::s32 && adds_integers(*args.finish))
        return store_integers<Isa>(args);
    if constexpr (Isa::vector_bytes > 16)
        if (one_pass<Isa>(args)) return;
    alignas(64) f32 x[block_size];
    block b {&args, x, 0, 0, 0, 0, 0};
    for (b.column = 0; b.column < args.columns; b.column += block_size) {
        b.columns = smaller(args.columns - b.column, block_size);
        b.padded_columns = (b.columns + size - 1) / size * size;
        const dim_t rows_that_fit = block_size / b.padded_columns;
        for (b.row = 0; b.row < args.rows; b.row += rows_that_fit) {
            b.rows = smaller(args.rows - b.row, rows_that_fit);
            if (args.acc_type == data_type::f32)
                begin_rows<Isa, f32>(b);
            else
                begin_rows<Isa, s32>(b);
            apply_dropout<Isa>(b);
            apply_steps<Isa>(b);
            store_block<Isa>(b);
        }
    }
}

template void epilogue_rows<this_isa>(const epilogue_rows_args &);

} // namespace dnnl::impl::cpu
