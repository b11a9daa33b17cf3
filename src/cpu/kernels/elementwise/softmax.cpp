// SPDX-License-Identifier: Apache-2.0
// Softmax where the elements of the axis are adjacent, and where those of the next dimension are;
// see elementwise.hpp.
#include "cpu/kernels/elementwise/elementwise.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/simd/math.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

namespace {

// Calls body(i, n, part) for the vectors of a row: n lanes from i on, in accumulator `part`.
template <class Isa, class Body> DNNL_INLINE void for_each_vector(dim_t length, const Body &body) {
    constexpr dim_t size = vec<f32, Isa>::size;
    dim_t i = 0;
    for (; i + 16 <= length; i += 16) {
#pragma GCC unroll 2
        for (int part = 0; part < parts<Isa>; ++part) body(i + part * size, size, part);
    }
#pragma GCC unroll 2
    for (int part = 0; part < parts<Isa>; ++part, i += size)
        if (i < length) body(i, smaller(size, length - i), part);
}
// Lanes from n on become `other`.
template <class Isa> DNNL_INLINE vec<f32, Isa> keep(vec<f32, Isa> x, dim_t n, f32 other) {
    using v = vec<f32, Isa>;
    return n == v::size ? x : select(v::lanes::first(n), x, v::set(other));
}
template <class Isa> DNNL_INLINE f32 total(const vec<f32, Isa> (&sum)[parts<Isa>]) {
    if constexpr (parts<Isa> == 2)
        return reduce_add(sum[0] + sum[1]);
    else
        return reduce_add(sum[0]);
}

template <class Isa> [[gnu::flatten]] f32 maximum(const f32 *x, dim_t length) {
    using v = vec<f32, Isa>;
    const f32 lowest = -__builtin_inff();
    v best[4];
    for (v &b : best) b = v::set(lowest);
    dim_t i = 0;
    for (; i + 4 * v::size <= length; i += 4 * v::size) {
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) best[c] = max(best[c], v::load(x + i + c * v::size));
    }
    for (; i < length; i += v::size) {
        const dim_t n = smaller(v::size, length - i);
        best[0] = max(best[0], keep<Isa>(load_up_to<Isa>(x + i, n), n, lowest));
    }
    return reduce_max(max(max(best[0], best[1]), max(best[2], best[3])));
}

// e[i] = exp(x[i] - m) unless e is null; the sum of these.
template <class Isa> [[gnu::flatten]] f32 exponentials(const f32 *x, dim_t length, f32 m, f32 *e) {
    using v = vec<f32, Isa>;
    v sum[parts<Isa>];
    for (v &s : sum) s = v::zero();
    for_each_vector<Isa>(length, [&](dim_t i, dim_t n, int part) {
        const v y = exp<Isa>(load_up_to<Isa>(x + i, n) - v::set(m));
        if (e) store_up_to(e + i, y, n);
        sum[part] = sum[part] + keep<Isa>(y, n, 0.0f);
    });
    return total<Isa>(sum);
}

// y[i] = f(x[i])
template <class Isa, class F> DNNL_INLINE void map(const f32 *x, dim_t length, f32 *y, const F &f) {
    for_vectors<Isa>(
        length, [&](dim_t i, dim_t n) { store_up_to(y + i, f(load_up_to<Isa>(x + i, n)), n); });
}
// From the maximum m and the sum of exponentials, which are in `out` but for the logarithm.
template <class Isa>
[[gnu::flatten]] void results(bool is_log, const f32 *x, dim_t length, f32 m, f32 sum, f32 *out) {
    using v = vec<f32, Isa>;
    if (is_log) {
        const v log_sum = log<Isa>(v::set(sum));
        map<Isa>(x, length, out, [&](v y) { return (y - v::set(m)) - log_sum; });
    } else {
        const v factor = v::set(1.0f / sum);
        map<Isa>(out, length, out, [&](v y) { return y * factor; });
    }
}

// The sum of a[i] * b[i], or of b[i] alone when a is null.
template <class Isa> [[gnu::flatten]] f32 dot(const f32 *a, const f32 *b, dim_t length) {
    using v = vec<f32, Isa>;
    v sum[parts<Isa>];
    for (v &s : sum) s = v::zero();
    for_each_vector<Isa>(length, [&](dim_t i, dim_t n, int part) {
        const v y = load_up_to<Isa>(b + i, n);
        sum[part] = a ? fma(load_up_to<Isa>(a + i, n), y, sum[part]) : sum[part] + y;
    });
    return total<Isa>(sum);
}

template <class Isa>
[[gnu::flatten]] void gradients(
    bool is_log, const f32 *saved, const f32 *diff, dim_t length, f32 sum, f32 *out) {
    using v = vec<f32, Isa>;
    for_vectors<Isa>(length, [&](dim_t i, dim_t n) {
        const v d = load_up_to<Isa>(saved + i, n), dd = load_up_to<Isa>(diff + i, n);
        const v y = is_log ? fnma(exp<Isa>(d), v::set(sum), dd) : d * (dd - v::set(sum));
        store_up_to(out + i, y, n);
    });
}

// The buffer from element `size` on; null where everything is read in place.
DNNL_INLINE f32 *second_half(const softmax_args &a, dim_t size) {
    return a.buffer ? a.buffer + size : nullptr;
}

} // namespace

template <class Isa> void softmax_rows(const row_tile &t, const softmax_args &a) {
    const dim_t length = t.columns;
    for (dim_t row = 0; row < t.rows; ++row) {
        f32 *out = results_at(t, row, 0, a.buffer);
        const f32 *x = values_of<Isa>(t.src[0], row, 0, length, a.buffer);
        const f32 m = maximum<Isa>(x, length);
        const f32 sum = exponentials<Isa>(x, length, m, a.log ? nullptr : out);
        results<Isa>(a.log, x, length, m, sum, out);
        finish_row<Isa>(t, out, length, row, 0);
    }
}

template <class Isa> void softmax_rows_backward(const row_tile &t, const softmax_args &a) {
    const dim_t length = t.columns;
    f32 *saved_buffer = second_half(a, (length + 15) / 16 * 16);
    for (dim_t row = 0; row < t.rows; ++row) {
        f32 *out = results_at(t, row, 0, a.buffer);
        const f32 *diff = values_of<Isa>(t.src[0], row, 0, length, a.buffer);
        const f32 *saved = values_of<Isa>(t.src[1], row, 0, length, saved_buffer);
        const f32 sum = dot<Isa>(a.log ? nullptr : saved, diff, length);
        gradients<Isa>(a.log, saved, diff, length, sum, out);
        finish_row<Isa>(t, out, length, row, 0);
    }
}

namespace {

// The columns of a tile as f32, rows `stride` apart: in place, or in a buffer of stripes.
template <class Value> struct stripe {
    Value *data;
    dim_t stride;
    DNNL_INLINE Value *at(dim_t row, dim_t column) const { return data + row * stride + column; }
};
template <class Isa>
stripe<const f32> stripe_as_f32(const row_tile &t, const row_tensor &x, f32 *buffer) {
    if (x.type == data_type::f32 && x.column == 1) return {static_cast<const f32 *>(x.data), x.row};
    for (dim_t r = 0; r < t.rows; ++r)
        values_of<Isa>(x, r, 0, t.columns, buffer + r * softmax_stripe);
    return {buffer, softmax_stripe};
}

// Where results are computed: dst itself, or the buffer, from which they are finished then.
DNNL_INLINE stripe<f32> results_of(const row_tile &t, f32 *buffer) {
    f32 *data = results_at(t, 0, 0, buffer);
    return {data, data == buffer ? softmax_stripe : t.dst.row};
}
template <class Isa> void finish_stripe(const row_tile &t, const stripe<f32> &out) {
    for (dim_t r = 0; r < t.rows; ++r) finish_row<Isa>(t, out.at(r, 0), t.columns, r, 0);
}

// One vector of columns: n of them from column c on.
template <class Isa>
[[gnu::flatten]] void columns(const row_tile &t, bool is_log, const stripe<const f32> &x,
    const stripe<f32> &y, dim_t c, dim_t n) {
    using v = vec<f32, Isa>;
    v m = v::set(-__builtin_inff());
    for (dim_t i = 0; i < t.rows; ++i) m = max(m, load_up_to<Isa>(x.at(i, c), n));
    v sum = v::zero();
    for (dim_t i = 0; i < t.rows; ++i) {
        const v e = exp<Isa>(load_up_to<Isa>(x.at(i, c), n) - m);
        if (!is_log) store_up_to(y.at(i, c), e, n);
        sum = sum + e;
    }
    if (is_log) {
        const v log_sum = log<Isa>(sum);
        for (dim_t i = 0; i < t.rows; ++i)
            store_up_to(y.at(i, c), (load_up_to<Isa>(x.at(i, c), n) - m) - log_sum, n);
        return;
    }
    const v factor = v::set(1.0f) / sum;
    for (dim_t i = 0; i < t.rows; ++i)
        store_up_to(y.at(i, c), load_up_to<Isa>(y.at(i, c), n) * factor, n);
}

template <class Isa>
[[gnu::flatten]] void columns_backward(const row_tile &t, bool is_log,
    const stripe<const f32> &saved, const stripe<const f32> &diff, const stripe<f32> &out, dim_t c,
    dim_t n) {
    using v = vec<f32, Isa>;
    v sum = v::zero();
    for (dim_t i = 0; i < t.rows; ++i) {
        const v dd = load_up_to<Isa>(diff.at(i, c), n);
        sum = is_log ? sum + dd : fma(load_up_to<Isa>(saved.at(i, c), n), dd, sum);
    }
    for (dim_t i = 0; i < t.rows; ++i) {
        const v d = load_up_to<Isa>(saved.at(i, c), n), dd = load_up_to<Isa>(diff.at(i, c), n);
        store_up_to(out.at(i, c), is_log ? fnma(exp<Isa>(d), sum, dd) : d * (dd - sum), n);
    }
}

} // namespace

template <class Isa> void softmax_columns(const row_tile &t, const softmax_args &a) {
    const stripe<const f32> src = stripe_as_f32<Isa>(t, t.src[0], a.buffer);
    const stripe<f32> out = results_of(t, a.buffer);
    for_vectors<Isa>(t.columns, [&](dim_t c, dim_t n) { columns<Isa>(t, a.log, src, out, c, n); });
    finish_stripe<Isa>(t, out);
}

template <class Isa> void softmax_columns_backward(const row_tile &t, const softmax_args &a) {
    const stripe<const f32> diff = stripe_as_f32<Isa>(t, t.src[0], a.buffer);
    const stripe<const f32> saved =
        stripe_as_f32<Isa>(t, t.src[1], second_half(a, t.rows * softmax_stripe));
    const stripe<f32> out = results_of(t, a.buffer);
    for_vectors<Isa>(t.columns,
        [&](dim_t c, dim_t n) { columns_backward<Isa>(t, a.log, saved, diff, out, c, n); });
    finish_stripe<Isa>(t, out);
}

template void softmax_rows<this_isa>(const row_tile &, const softmax_args &);
template void softmax_rows_backward<this_isa>(const row_tile &, const softmax_args &);
template void softmax_columns<this_isa>(const row_tile &, const softmax_args &);
template void softmax_columns_backward<this_isa>(const row_tile &, const softmax_args &);

} // namespace dnnl::impl::cpu
