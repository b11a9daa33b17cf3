// SPDX-License-Identifier: Apache-2.0
// Reductions, and the results from their totals; see elementwise_kernels.hpp. A lane combines up to
// 64 elements in f32 or s32 before they join a total in f64.
#include "cpu/kernels/elementwise/elementwise_kernels.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/simd/math.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t block_rows = 64;

constexpr bool stays_integer(reduced_by what) {
    return what == reduced_by::max || what == reduced_by::min || what == reduced_by::sum;
}
// The type that elements of type T are combined in: s32 or f32.
template <reduced_by What, class T>
using block_value = typename computed_type<is_whole<T> && stays_integer(What)>::type;

// Elements of these types are read where they lie; others are converted first, a piece at a time.
template <reduced_by What, class T>
constexpr bool reads_in_place =
    __is_same(T, block_value<What, T>) ||
    (__is_same(T, bf16) && (What == reduced_by::sum || What == reduced_by::square_sum)) ||
    ((__is_same(T, bf16) || is_byte<T>)&&(What == reduced_by::sum || What == reduced_by::max));

// |x|^p
template <class Isa> [[gnu::noinline]] vec<f32, Isa> power(vec<f32, Isa> x, f32 p) {
    const exact_product<Isa> e = power_exponent<Isa>(x, p);
    return exp<Isa>(e.high, e.low);
}

// What a partial result begins with.
template <reduced_by What, class Value> constexpr Value neutral = 0;
template <> constexpr s32 neutral<reduced_by::max, s32> = INT32_MIN;
template <> constexpr s32 neutral<reduced_by::min, s32> = INT32_MAX;
template <> constexpr f32 neutral<reduced_by::max, f32> = -__builtin_inff();
template <> constexpr f32 neutral<reduced_by::min, f32> = __builtin_inff();

template <reduced_by What, class Isa>
DNNL_INLINE vec<s32, Isa> combine(vec<s32, Isa> t, vec<s32, Isa> x, f32) {
    if constexpr (What == reduced_by::max)
        return max(t, x);
    else if constexpr (What == reduced_by::min)
        return min(t, x);
    else
        return t + x;
}
template <reduced_by What, class Isa>
DNNL_INLINE vec<f32, Isa> combine(vec<f32, Isa> t, vec<f32, Isa> x, f32 p) {
    if constexpr (What == reduced_by::max)
        return max_nan(x, t); // in this order the test for NaN does not wait for t
    else if constexpr (What == reduced_by::min)
        return min_nan(x, t);
    else if constexpr (What == reduced_by::abs_sum)
        return t + abs(x);
    else if constexpr (What == reduced_by::square_sum)
        return fma(x, x, t);
    else if constexpr (What == reduced_by::power_sum)
        return t + power<Isa>(x, p);
    else
        return t + x;
}
// Combines two partial results.
template <reduced_by What, class V> DNNL_INLINE V join(V a, V b) {
    if constexpr (What == reduced_by::max || What == reduced_by::min)
        return combine<What>(a, b, 0.0f);
    else
        return a + b;
}
template <reduced_by What> DNNL_INLINE double join_total(double t, double x) {
    if constexpr (What == reduced_by::max)
        return x > t || x != x ? x : t;
    else if constexpr (What == reduced_by::min)
        return x < t || x != x ? x : t;
    else
        return t + x;
}

// ---- Columns ----

constexpr dim_t rows_at_once = 8;

// Adds one vector of columns of rows_at_once rows to `sum`.
template <class Isa, reduced_by What, class T, class V>
DNNL_INLINE V add_rows(V sum, const T *src, dim_t row_stride, f32 p) {
#pragma GCC unroll 8
    for (dim_t r = 0; r < rows_at_once; ++r)
        sum = combine<What>(
            sum, load_up_to<Isa, typename V::element>(src + r * row_stride, V::size), p);
    return sum;
}

// Combines at most block_rows rows of adjacent columns, then joins the results to the totals.
template <class Isa, reduced_by What, class T>
void add_block(const T *src, const reduce_args &t, dim_t rows, dim_t row_stride) {
    using Value = block_value<What, T>;
    using v = vec<Value, Isa>;
    alignas(64) Value sums[row_piece];
    for (dim_t c = 0; c < t.columns; c += v::size) v::set(neutral<What, Value>).store(sums + c);
    for (dim_t row = 0; row < rows; row += rows_at_once) {
        const T *first = src + row * row_stride;
        const dim_t n = smaller(rows_at_once, rows - row);
        dim_t c = 0;
        if (n == rows_at_once)
            for (; c + v::size <= t.columns; c += v::size)
                add_rows<Isa, What>(v::load(sums + c), first + c, row_stride, t.p).store(sums + c);
        for (; c < t.columns; c += v::size) {
            v sum = v::load(sums + c);
            for (dim_t r = 0; r < n; ++r)
                sum = combine<What>(
                    sum, load_up_to<Isa, Value>(first + r * row_stride + c, t.columns - c), t.p);
            sum.store(sums + c);
        }
    }
    for (dim_t c = 0; c < t.columns; ++c)
        t.totals[c] = join_total<What>(t.totals[c], double(sums[c]));
}

// For columns that are not adjacent, or whose type is not read in place: converts some rows at a
// time into L1 and combines them there.
template <class Isa, reduced_by What, class Value> void columns_by_pieces(const reduce_args &t) {
    alignas(64) Value gathered[rows_at_once * row_piece];
    for (dim_t row = 0; row < t.rows; row += rows_at_once) {
        const dim_t n = smaller(rows_at_once, t.rows - row);
        for (dim_t r = 0; r < n; ++r)
            values_of<Isa>(t.src, row + r, 0, t.columns, gathered + r * row_piece);
        add_block<Isa, What>(gathered, t, n, row_piece);
    }
}

template <class Isa, reduced_by What, class T> void columns_of(const reduce_args &t) {
    if constexpr (reads_in_place<What, T>)
        if (t.src.column == 1) {
            for (dim_t row = 0; row < t.rows; row += block_rows)
                add_block<Isa, What>(element_as<const T>(t.src, row), t,
                    smaller(block_rows, t.rows - row), t.src.row);
            return;
        }
    columns_by_pieces<Isa, What, block_value<What, T>>(t);
}

// ---- Rows ----

// True for maxima and minima of floats: one comparison then searches two vectors for NaN.
template <reduced_by What, class Value>
inline constexpr bool finds_nan =
    !is_whole<Value> && (What == reduced_by::max || What == reduced_by::min);

// The result of all lanes. Sums of integers are exact, since only bytes are added in s32.
template <reduced_by What, class V> DNNL_INLINE double across(V x) {
    if constexpr (finds_nan<What, typename V::element>)
        if (any(is_nan(x))) return __builtin_nan("");
    if constexpr (What == reduced_by::max)
        return reduce_max(x);
    else if constexpr (What == reduced_by::min)
        return reduce_min(x);
    else
        return reduce_add(x);
}

// Combines n adjacent elements, at most 4,096, in 64 partial results of at most 64 elements each.
template <class Isa, reduced_by What, class T>
[[gnu::flatten]] double row_block(const T *src, dim_t n, f32 p) {
    using Value = block_value<What, T>;
    using v = vec<Value, Isa>;
    constexpr int groups = 4, count = groups * parts<Isa>;
    v sum[count];
    for (v &s : sum) s = v::set(neutral<What, Value>);
    dim_t i = 0;
    if constexpr (finds_nan<What, Value>) {
        auto nan = is_nan(v::zero());
        for (; i + groups * 16 <= n; i += groups * 16) {
#pragma GCC unroll 4
            for (int k = 0; k < count; k += 2) {
                const v x = load_as_f32<Isa>(src + i + k * v::size);
                const v y = load_as_f32<Isa>(src + i + (k + 1) * v::size);
                nan = nan | v::template compare<_CMP_UNORD_Q>(x, y);
                sum[k] = What == reduced_by::max ? max(sum[k], x) : min(sum[k], x);
                sum[k + 1] = What == reduced_by::max ? max(sum[k + 1], y) : min(sum[k + 1], y);
            }
        }
        if (any(nan)) return __builtin_nan("");
    }
    for (; i + groups * 16 <= n; i += groups * 16) {
#pragma GCC unroll 8
        for (int k = 0; k < count; ++k)
            sum[k] =
                combine<What>(sum[k], load_up_to<Isa, Value>(src + i + k * v::size, v::size), p);
    }
    for (; i < n; i += 16) {
#pragma GCC unroll 2
        for (int k = 0; k < parts<Isa>; ++k) {
            const dim_t left = n - i - k * v::size;
            if (left <= 0) continue;
            const v x = load_up_to<Isa, Value>(src + i + k * v::size, left);
            const v next = combine<What>(sum[k], x, p);
            sum[k] = left >= v::size ? next : select(v::lanes::first(left), next, sum[k]);
        }
    }
    for (int k = 0; k < 2 * parts<Isa>; ++k) sum[k] = join<What>(sum[k], sum[k + 2 * parts<Isa>]);
    for (int k = 0; k < parts<Isa>; ++k) sum[k] = join<What>(sum[k], sum[k + parts<Isa>]);
    if constexpr (parts<Isa> == 2) sum[0] = join<What>(sum[0], sum[1]);
    return across<What>(sum[0]);
}

constexpr dim_t longest_block = block_rows * 64;

template <class Isa, reduced_by What, class Value> void rows_by_pieces(const reduce_args &t) {
    alignas(64) Value buffer[longest_block];
    for (dim_t r = 0; r < t.rows; ++r)
        for (dim_t i = 0; i < t.columns; i += longest_block) {
            const dim_t n = smaller(longest_block, t.columns - i);
            const Value *src = values_of<Isa>(t.src, r, i, n, buffer);
            t.totals[r] = join_total<What>(t.totals[r], row_block<Isa, What, Value>(src, n, t.p));
        }
}

template <class Isa, reduced_by What, class T> void rows_of(const reduce_args &t) {
    if constexpr (!reads_in_place<What, T>) {
        rows_by_pieces<Isa, What, block_value<What, T>>(t);
    } else {
        for (dim_t r = 0; r < t.rows; ++r) {
            const T *src = element_as<const T>(t.src, r);
            for (dim_t i = 0; i < t.columns; i += longest_block)
                t.totals[r] = join_total<What>(t.totals[r],
                    row_block<Isa, What, T>(src + i, smaller(longest_block, t.columns - i), t.p));
        }
    }
}

// ---- Sums of s32 and products: one by one in f64 ----

template <bool Product, bool Integer> DNNL_INLINE double next_total(double t, double x) {
    if constexpr (!Product) return t + x;
    const double y = t * x;
    if constexpr (!Integer) return y;
    return y > 1e300 ? 1e300 : y < -1e300 ? -1e300 : y;
}

template <class Isa, bool Product, class Value> void wide_columns(const reduce_args &t) {
    alignas(64) Value buffer[row_piece];
    for (dim_t r = 0; r < t.rows; ++r) {
        const Value *x = values_of<Isa>(t.src, r, 0, t.columns, buffer);
        for (dim_t c = 0; c < t.columns; ++c)
            t.totals[c] = next_total<Product, is_whole<Value>>(t.totals[c], double(x[c]));
    }
}

template <class Isa, bool Product, class Value> double wide_row(const reduce_args &t, dim_t row) {
    constexpr bool integer = is_whole<Value>;
    constexpr int lanes = 16;
    alignas(64) Value buffer[row_piece];
    alignas(64) double total[lanes];
    for (double &y : total) y = Product;
    for (dim_t i = 0; i < t.columns; i += row_piece) {
        const dim_t n = smaller(row_piece, t.columns - i);
        const Value *x = values_of<Isa>(t.src, row, i, n, buffer);
        dim_t c = 0;
        for (; c + lanes <= n; c += lanes)
            for (int l = 0; l < lanes; ++l)
                total[l] = next_total<Product, integer>(total[l], double(x[c + l]));
        for (int l = 0; c < n; ++c, ++l)
            total[l] = next_total<Product, integer>(total[l], double(x[c]));
    }
    for (int l = 1; l < lanes; ++l) total[0] = next_total<Product, integer>(total[0], total[l]);
    return total[0];
}

template <class Isa, bool Product, class Value, bool ByColumns> void wide(const reduce_args &t) {
    if constexpr (ByColumns) return wide_columns<Isa, Product, Value>(t);
    for (dim_t r = 0; r < t.rows; ++r)
        t.totals[r] =
            next_total<Product, is_whole<Value>>(t.totals[r], wide_row<Isa, Product, Value>(t, r));
}

// ---- From arguments to instances ----

template <class Isa, bool ByColumns, reduced_by What> void by_type(const reduce_args &t) {
    with_activation(t.src.type, [&](auto element) {
        using T = decltype(element);
        if constexpr (What == reduced_by::sum && __is_same(T, s32))
            wide<Isa, false, s32, ByColumns>(t);
        else if constexpr (ByColumns)
            columns_of<Isa, What, T>(t);
        else
            rows_of<Isa, What, T>(t);
    });
}

template <class Isa, bool ByColumns> void reduce(const reduce_args &t) {
    const bool integer = is_integer_type(t.src.type);
    switch (t.what) {
    case reduced_by::max: return by_type<Isa, ByColumns, reduced_by::max>(t);
    case reduced_by::min: return by_type<Isa, ByColumns, reduced_by::min>(t);
    case reduced_by::product:
        return integer ? wide<Isa, true, s32, ByColumns>(t) : wide<Isa, true, f32, ByColumns>(t);
    case reduced_by::abs_sum: return by_type<Isa, ByColumns, reduced_by::abs_sum>(t);
    case reduced_by::square_sum: return by_type<Isa, ByColumns, reduced_by::square_sum>(t);
    case reduced_by::power_sum: return by_type<Isa, ByColumns, reduced_by::power_sum>(t);
    default: return by_type<Isa, ByColumns, reduced_by::sum>(t);
    }
}

// ---- From totals to dst ----

// y = total / divisor, changed by epsilon, and where p is 2 its square root, all in f64.
void settle(const reduce_finish_args &t, double *y) {
    for (dim_t c = 0; c < t.columns; ++c) y[c] = t.totals[c] / t.divisor;
    if (t.rule == epsilon_rule::at_least)
        for (dim_t c = 0; c < t.columns; ++c) y[c] = y[c] < t.epsilon ? t.epsilon : y[c];
    if (t.rule == epsilon_rule::added)
        for (dim_t c = 0; c < t.columns; ++c) y[c] += t.epsilon;
    if (t.has_root && t.p == 2.0f)
        for (dim_t c = 0; c < t.columns; ++c) y[c] = __builtin_sqrt(y[c]);
}

// x = x^(1/p), NaN below 0. The exponent has two parts: ln x, down to -104, multiplies its error.
template <class Isa> void take_roots(const reduce_finish_args &t, f32 *x) {
    using v = vec<f32, Isa>;
    for (dim_t c = 0; c < t.columns; c += v::size) {
        const v y = v::load(x + c);
        const exact_product<Isa> e = power_exponent<Isa>(y, t.root_high);
        const auto ordinary = (y > v::zero()) & (y < v::set(__builtin_inff()));
        const v rest = select(ordinary, log<Isa>(y) * v::set(t.root_low), v::zero());
        const v root = exp<Isa>(e.high, e.low + rest);
        select(y < v::zero(), v::set(__builtin_nanf("")), root).store(x + c);
    }
}

// Rounds to nearest even and saturates.
void round_to_s32(const double *y, dim_t n, s32 *out) {
    for (dim_t c = 0; c < n; ++c) {
        const double above = y[c] < -0x1p31 ? -0x1p31 : y[c];
        const double within = above > 0x1p31 - 1 ? 0x1p31 - 1 : above;
        out[c] = static_cast<s32>(__builtin_rint(within));
    }
}

} // namespace

template <class Isa> void reduce_columns(const reduce_args &args) { reduce<Isa, true>(args); }
template <class Isa> void reduce_rows(const reduce_args &args) { reduce<Isa, false>(args); }

template <class Isa> void reduce_finish(const reduce_finish_args &t) {
    alignas(64) double y[row_piece];
    alignas(64) f32 x[row_piece];
    settle(t, y);
    if (t.integer) {
        alignas(64) s32 integers[row_piece];
        round_to_s32(y, t.columns, integers);
        return row_from_s32<Isa>(integers, t.columns, t.dst_type, t.dst);
    }
    for (dim_t c = 0; c < t.columns; ++c) x[c] = static_cast<f32>(y[c]);
    if (t.has_root && t.p != 1.0f && t.p != 2.0f) {
        for (dim_t c = t.columns; c % 16 != 0; ++c) x[c] = 0;
        take_roots<Isa>(t, x);
    }
    finish_row<Isa>(t.finish, x, t.columns, t.dst_type, t.dst, {});
}

template void reduce_columns<this_isa>(const reduce_args &);
template void reduce_rows<this_isa>(const reduce_args &);
template void reduce_finish<this_isa>(const reduce_finish_args &);

} // namespace dnnl::impl::cpu
