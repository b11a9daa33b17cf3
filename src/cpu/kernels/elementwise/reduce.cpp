// SPDX-License-Identifier: Apache-2.0
// Reductions; see reduce.hpp. Blocks of 64 elements per lane stay in f32 or s32.
#include "cpu/kernels/elementwise/reduce.hpp"

#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/simd/element_size.hpp"
#include "cpu/simd/math.hpp"
#include "cpu/simd/row_loop.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t block_rows = 64;

template <class T> inline constexpr bool is_whole = false;
template <> inline constexpr bool is_whole<s32> = true;
template <> inline constexpr bool is_whole<s8> = true;
template <> inline constexpr bool is_whole<u8> = true;

template <bool Integer> struct value_of { using type = f32; };
template <> struct value_of<true> { using type = s32; };

constexpr bool stays_integer(reduced_by what) {
    return what == reduced_by::max || what == reduced_by::min || what == reduced_by::sum;
}
// What elements of type T are combined in.
template <reduced_by What, class T>
using block_value = typename value_of<is_whole<T> && stays_integer(What)>::type;

// |x|^p
template <class Isa> DNNL_INLINE vec<f32, Isa> power(vec<f32, Isa> x, f32 p) {
    const exact_product<Isa> e = power_exponent<Isa>(x, p);
    return exp<Isa>(e.high, e.low);
}

template <reduced_by What, class Value> DNNL_INLINE Value neutral() {
    if constexpr (What == reduced_by::max)
        return is_whole<Value> ? static_cast<Value>(INT32_MIN)
                               : static_cast<Value>(-__builtin_inff());
    else if constexpr (What == reduced_by::min)
        return is_whole<Value> ? static_cast<Value>(INT32_MAX)
                               : static_cast<Value>(__builtin_inff());
    else
        return 0;
}

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
        return max_nan(t, x);
    else if constexpr (What == reduced_by::min)
        return min_nan(t, x);
    else if constexpr (What == reduced_by::abs_sum)
        return t + abs(x);
    else if constexpr (What == reduced_by::square_sum)
        return fma(x, x, t);
    else if constexpr (What == reduced_by::power_sum)
        return t + power<Isa>(x, p);
    else
        return t + x;
}
// Two partial results.
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

// At most block_rows rows of adjacent columns.
template <class Isa, reduced_by What, class T>
void add_block(const T *src, const reduce_args &t, dim_t rows, dim_t row_stride) {
    using Value = block_value<What, T>;
    using v = vec<Value, Isa>;
    constexpr dim_t rows_at_once = 8;
    alignas(64) Value sums[row_piece];
    for (dim_t row = 0; row < rows; row += rows_at_once) {
        const dim_t last = smaller(row + rows_at_once, rows);
        for (dim_t c = 0; c < t.columns; c += v::size) {
            v sum = row == 0 ? v::set(neutral<What, Value>()) : v::load(sums + c);
            for (dim_t r = row; r < last; ++r)
                sum = combine<What>(
                    sum, load_up_to<Isa, Value>(src + r * row_stride + c, t.columns - c), t.p);
            sum.store(sums + c);
        }
    }
    for (dim_t c = 0; c < t.columns; ++c)
        t.totals[c] = join_total<What>(t.totals[c], static_cast<double>(sums[c]));
}

template <class Isa, reduced_by What, class T> void columns_of(const reduce_args &t) {
    using Value = block_value<What, T>;
    const T *src = static_cast<const T *>(t.src);
    if (t.column == 1) {
        for (dim_t row = 0; row < t.rows; row += block_rows)
            add_block<Isa, What, T>(src + row * t.row, t, smaller(block_rows, t.rows - row), t.row);
        return;
    }
    // Columns that are not adjacent are copied to adjacent places, some rows at a time.
    constexpr dim_t gathered_rows = 8;
    alignas(64) Value gathered[gathered_rows * row_piece];
    for (dim_t row = 0; row < t.rows; row += gathered_rows) {
        const dim_t n = smaller(gathered_rows, t.rows - row);
        for (dim_t r = 0; r < n; ++r) {
            const T *from = src + (row + r) * t.row;
            if constexpr (is_whole<Value>)
                row_to_s32<Isa>(from, t.type, t.column, t.columns, gathered + r * row_piece);
            else
                row_to_f32<Isa>(from, t.type, t.column, t.columns, gathered + r * row_piece);
        }
        add_block<Isa, What, Value>(gathered, t, n, row_piece);
    }
}

// ---- Rows ----

// 16 lanes: one or two vectors, so that sums have the same order on every instruction set.
template <class Isa> inline constexpr int parts = 16 / vec<f32, Isa>::size;

template <reduced_by What, class Isa, int B> DNNL_INLINE double across(vec<s32, Isa, B> x) {
    alignas(64) s32 lanes[vec<s32, Isa, B>::size];
    x.store(lanes);
    double total = lanes[0];
    for (int i = 1; i < vec<s32, Isa, B>::size; ++i)
        total = join_total<What>(total, static_cast<double>(lanes[i]));
    return total;
}
template <reduced_by What, class Isa, int B> DNNL_INLINE double across(vec<f32, Isa, B> x) {
    if constexpr (What == reduced_by::max || What == reduced_by::min) {
        if (any(is_nan(x))) return __builtin_nan("");
        return What == reduced_by::max ? reduce_max(x) : reduce_min(x);
    } else {
        return reduce_add(x);
    }
}

// At most 64 elements per lane.
template <class Isa, reduced_by What, class T>
[[gnu::flatten]] double row_block(const T *src, dim_t n, f32 p) {
    using Value = block_value<What, T>;
    using v = vec<Value, Isa>;
    constexpr int groups = 4, count = groups * parts<Isa>;
    v sum[count];
    for (v &s : sum) s = v::set(neutral<What, Value>());
    dim_t i = 0;
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

template <class Isa, reduced_by What, class T> void rows_of(const reduce_args &t) {
    constexpr dim_t block = block_rows * 64;
    for (dim_t r = 0; r < t.rows; ++r) {
        const T *src = static_cast<const T *>(t.src) + r * t.row;
        for (dim_t i = 0; i < t.columns; i += block)
            t.totals[r] = join_total<What>(
                t.totals[r], row_block<Isa, What, T>(src + i, smaller(block, t.columns - i), t.p));
    }
}

// ---- Sums of s32 and products: one by one in f64 ----

template <bool Product, bool Integer> DNNL_INLINE double next_total(double t, double x) {
    if constexpr (!Product) return t + x;
    const double y = t * x;
    if constexpr (!Integer) return y;
    return y > 1e300 ? 1e300 : y < -1e300 ? -1e300 : y;
}

template <class Isa, class Value>
DNNL_INLINE void convert(const reduce_args &t, const char *from, dim_t stride, dim_t n, Value *to) {
    if constexpr (is_whole<Value>)
        row_to_s32<Isa>(from, t.type, stride, n, to);
    else
        row_to_f32<Isa>(from, t.type, stride, n, to);
}

template <class Isa, bool Product, class Value> void wide_columns(const reduce_args &t) {
    alignas(64) Value x[row_piece];
    const dim_t row_bytes = t.row * size_in_bytes(t.type);
    const char *from = static_cast<const char *>(t.src);
    for (dim_t r = 0; r < t.rows; ++r, from += row_bytes) {
        convert<Isa>(t, from, t.column, t.columns, x);
        for (dim_t c = 0; c < t.columns; ++c)
            t.totals[c] =
                next_total<Product, is_whole<Value>>(t.totals[c], static_cast<double>(x[c]));
    }
}

template <class Isa, bool Product, class Value>
double wide_row(const reduce_args &t, const char *from) {
    constexpr bool integer = is_whole<Value>;
    constexpr int lanes = 16;
    alignas(64) Value x[row_piece];
    alignas(64) double total[lanes];
    for (double &y : total) y = Product;
    for (dim_t i = 0; i < t.columns; i += row_piece) {
        const dim_t n = smaller(row_piece, t.columns - i);
        convert<Isa>(t, from + i * size_in_bytes(t.type), 1, n, x);
        dim_t c = 0;
        for (; c + lanes <= n; c += lanes)
            for (int l = 0; l < lanes; ++l)
                total[l] = next_total<Product, integer>(total[l], static_cast<double>(x[c + l]));
        for (int l = 0; c < n; ++c, ++l)
            total[l] = next_total<Product, integer>(total[l], static_cast<double>(x[c]));
    }
    for (int l = 1; l < lanes; ++l) total[0] = next_total<Product, integer>(total[0], total[l]);
    return total[0];
}

template <class Isa, bool Product, class Value, bool ByColumns> void wide(const reduce_args &t) {
    if constexpr (ByColumns) return wide_columns<Isa, Product, Value>(t);
    const dim_t row_bytes = t.row * size_in_bytes(t.type);
    for (dim_t r = 0; r < t.rows; ++r)
        t.totals[r] = next_total<Product, is_whole<Value>>(t.totals[r],
            wide_row<Isa, Product, Value>(t, static_cast<const char *>(t.src) + r * row_bytes));
}

// ---- From arguments to instances ----

template <class Isa, bool ByColumns, reduced_by What, class T> void run(const reduce_args &t) {
    if constexpr (ByColumns)
        columns_of<Isa, What, T>(t);
    else
        rows_of<Isa, What, T>(t);
}

template <class Isa, bool ByColumns, reduced_by What> void by_type(const reduce_args &t) {
    with_activation(t.type, [&](auto element) {
        using T = decltype(element);
        if constexpr (What == reduced_by::sum && is_whole<T> && sizeof(T) == 4)
            wide<Isa, false, s32, ByColumns>(t);
        else
            run<Isa, ByColumns, What, T>(t);
    });
}

template <class Isa, bool ByColumns> void reduce(const reduce_args &t) {
    const bool integer = is_integer_type(t.type);
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

} // namespace

template <class Isa> void reduce_columns(const reduce_args &args) { reduce<Isa, true>(args); }
template <class Isa> void reduce_rows(const reduce_args &args) { reduce<Isa, false>(args); }

template void reduce_columns<this_isa>(const reduce_args &);
template void reduce_rows<this_isa>(const reduce_args &);

} // namespace dnnl::impl::cpu
