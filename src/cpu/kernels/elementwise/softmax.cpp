// SPDX-License-Identifier: Apache-2.0
// Softmax where the elements of the axis are adjacent, and where those of the next dimension are;
// see softmax.hpp.
#include "cpu/kernels/elementwise/softmax.hpp"

#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/simd/element_size.hpp"
#include "cpu/simd/math.hpp"
#include "cpu/simd/row_loop.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

DNNL_INLINE const char *element(const softmax_tensor &t, dim_t x, dim_t line) {
    return element_at(t.data, t.type, x * t.step + line * t.line_stride);
}
DNNL_INLINE char *dst_element(const softmax_args &t, dim_t x, dim_t line) {
    return element_at(t.dst, t.dst_type, x * t.dst_step + line * t.dst_line_stride);
}

// 16 lanes: one or two vectors, so that sums have the same order on every instruction set.
template <class Isa> inline constexpr int parts = 16 / vec<f32, Isa>::size;

// A line as f32: in place, or converted into the buffer.
template <class Isa>
const f32 *line_as_f32(const softmax_tensor &t, dim_t line, dim_t length, f32 *buffer) {
    if (t.type == data_type::f32 && t.step == 1)
        return reinterpret_cast<const f32 *>(element(t, 0, line));
    for (dim_t x = 0; x < length; x += row_piece)
        row_to_f32<Isa>(
            element(t, x, line), t.type, t.step, smaller(row_piece, length - x), buffer + x);
    return buffer;
}

// Calls body(i, n, part) for the vectors of a line: n lanes from i on, in accumulator `part`.
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

template <class Isa> f32 log_of(f32 x) {
    alignas(64) f32 lanes[vec<f32, Isa>::size];
    log<Isa>(vec<f32, Isa>::set(x)).store(lanes);
    return lanes[0];
}

// y[i] = x[i] * factor
template <class Isa>
[[gnu::flatten]] void multiply(const f32 *x, dim_t length, f32 factor, f32 *y) {
    using v = vec<f32, Isa>;
    for_each_vector<Isa>(length, [&](dim_t i, dim_t n, int) {
        store_up_to(y + i, load_up_to<Isa>(x + i, n) * v::set(factor), n);
    });
}
// y[i] = (x[i] - a) - b
template <class Isa>
[[gnu::flatten]] void subtract(const f32 *x, dim_t length, f32 a, f32 b, f32 *y) {
    using v = vec<f32, Isa>;
    for_each_vector<Isa>(length, [&](dim_t i, dim_t n, int) {
        store_up_to(y + i, (load_up_to<Isa>(x + i, n) - v::set(a)) - v::set(b), n);
    });
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
    bool log, const f32 *saved, const f32 *diff, dim_t length, f32 sum, f32 *out) {
    using v = vec<f32, Isa>;
    for_each_vector<Isa>(length, [&](dim_t i, dim_t n, int) {
        const v d = load_up_to<Isa>(saved + i, n), dd = load_up_to<Isa>(diff + i, n);
        const v y = log ? fnma(exp<Isa>(d), v::set(sum), dd) : d * (dd - v::set(sum));
        store_up_to(out + i, y, n);
    });
}

// n results of a row from buffer to dst; (row, column) is the position that steps see.
template <class Isa>
void finish_row(const softmax_args &t, const f32 *x, dim_t n, void *dst, dim_t row, dim_t column) {
    if (t.finish)
        epilogue_rows<Isa>({t.finish, x, 0, data_type::f32, dst, 0, 1, n, {0, 0, 0, row, column}});
    else if (x != dst)
        row_from_f32<Isa>(x, n, t.dst_type, dst);
}

template <class Isa> void finish_line(const softmax_args &t, const f32 *x, dim_t line) {
    for (dim_t i = 0; i < t.length; i += row_piece)
        finish_row<Isa>(
            t, x + i, smaller(row_piece, t.length - i), dst_element(t, i, line), line, i);
}

// The buffer from element `size` on; null where everything is read in place.
DNNL_INLINE f32 *second_half(const softmax_args &t, dim_t size) {
    return t.buffer ? t.buffer + size : nullptr;
}
DNNL_INLINE bool writes_in_place(const softmax_args &t) {
    return t.dst_type == data_type::f32 && !t.finish;
}

} // namespace

template <class Isa> void softmax_rows(const softmax_args &t) {
    for (dim_t line = 0; line < t.lines; ++line) {
        f32 *out = writes_in_place(t) ? reinterpret_cast<f32 *>(dst_element(t, 0, line)) : t.buffer;
        const f32 *x = line_as_f32<Isa>(t.src, line, t.length, t.buffer);
        const f32 m = maximum<Isa>(x, t.length);
        const f32 sum = exponentials<Isa>(x, t.length, m, t.log ? nullptr : out);
        if (t.log)
            subtract<Isa>(x, t.length, m, log_of<Isa>(sum), out);
        else
            multiply<Isa>(out, t.length, 1.0f / sum, out);
        finish_line<Isa>(t, out, line);
    }
}

template <class Isa> void softmax_rows_backward(const softmax_args &t) {
    const dim_t rounded = (t.length + 15) / 16 * 16;
    for (dim_t line = 0; line < t.lines; ++line) {
        f32 *out = writes_in_place(t) ? reinterpret_cast<f32 *>(dst_element(t, 0, line)) : t.buffer;
        const f32 *diff = line_as_f32<Isa>(t.src, line, t.length, t.buffer);
        const f32 *saved = line_as_f32<Isa>(t.saved, line, t.length, second_half(t, rounded));
        const f32 sum = dot<Isa>(t.log ? nullptr : saved, diff, t.length);
        gradients<Isa>(t.log, saved, diff, t.length, sum, out);
        finish_line<Isa>(t, out, line);
    }
}

namespace {

// A stripe as f32: row x holds element x of every line, rows `stride` apart.
struct stripe {
    const f32 *data;
    dim_t stride;
};
template <class Isa>
stripe stripe_as_f32(const softmax_tensor &t, dim_t length, dim_t lines, f32 *buffer) {
    if (t.type == data_type::f32 && t.line_stride == 1)
        return {static_cast<const f32 *>(t.data), t.step};
    for (dim_t x = 0; x < length; ++x)
        row_to_f32<Isa>(
            element(t, x, 0), t.type, t.line_stride, lines, buffer + x * softmax_stripe);
    return {buffer, softmax_stripe};
}

// Where results go before they are finished: dst itself, or the buffer.
struct target {
    f32 *data;
    dim_t stride;
};
DNNL_INLINE target target_of(const softmax_args &t) {
    if (writes_in_place(t)) return {static_cast<f32 *>(t.dst), t.dst_step};
    return {t.buffer, softmax_stripe};
}
template <class Isa> void finish_stripe(const softmax_args &t, target out) {
    if (writes_in_place(t)) return;
    for (dim_t x = 0; x < t.length; ++x)
        finish_row<Isa>(t, out.data + x * out.stride, t.lines, dst_element(t, x, 0), x, 0);
}

// One vector of lines: n of them from column c on.
template <class Isa>
[[gnu::flatten]] void columns(const softmax_args &t, stripe src, target out, dim_t c, dim_t n) {
    using v = vec<f32, Isa>;
    const f32 *x = src.data + c;
    f32 *y = out.data + c;
    v m = v::set(-__builtin_inff());
    for (dim_t i = 0; i < t.length; ++i) m = max(m, load_up_to<Isa>(x + i * src.stride, n));
    v sum = v::zero();
    for (dim_t i = 0; i < t.length; ++i) {
        const v e = exp<Isa>(load_up_to<Isa>(x + i * src.stride, n) - m);
        if (!t.log) store_up_to(y + i * out.stride, e, n);
        sum = sum + e;
    }
    if (t.log) {
        const v log_sum = log<Isa>(sum);
        for (dim_t i = 0; i < t.length; ++i)
            store_up_to(
                y + i * out.stride, (load_up_to<Isa>(x + i * src.stride, n) - m) - log_sum, n);
        return;
    }
    const v factor = v::set(1.0f) / sum;
    for (dim_t i = 0; i < t.length; ++i)
        store_up_to(y + i * out.stride, load_up_to<Isa>(y + i * out.stride, n) * factor, n);
}

template <class Isa>
[[gnu::flatten]] void columns_backward(
    const softmax_args &t, stripe saved, stripe diff, target out, dim_t c, dim_t n) {
    using v = vec<f32, Isa>;
    v sum = v::zero();
    for (dim_t i = 0; i < t.length; ++i) {
        const v dd = load_up_to<Isa>(diff.data + c + i * diff.stride, n);
        sum =
            t.log ? sum + dd : fma(load_up_to<Isa>(saved.data + c + i * saved.stride, n), dd, sum);
    }
    for (dim_t i = 0; i < t.length; ++i) {
        const v d = load_up_to<Isa>(saved.data + c + i * saved.stride, n);
        const v dd = load_up_to<Isa>(diff.data + c + i * diff.stride, n);
        const v y = t.log ? fnma(exp<Isa>(d), sum, dd) : d * (dd - sum);
        store_up_to(out.data + c + i * out.stride, y, n);
    }
}

} // namespace

template <class Isa> void softmax_columns(const softmax_args &t) {
    constexpr dim_t size = vec<f32, Isa>::size;
    const stripe src = stripe_as_f32<Isa>(t.src, t.length, t.lines, t.buffer);
    const target out = target_of(t);
    for (dim_t c = 0; c < t.lines; c += size)
        columns<Isa>(t, src, out, c, smaller(size, t.lines - c));
    finish_stripe<Isa>(t, out);
}

template <class Isa> void softmax_columns_backward(const softmax_args &t) {
    constexpr dim_t size = vec<f32, Isa>::size;
    const stripe diff = stripe_as_f32<Isa>(t.src, t.length, t.lines, t.buffer);
    const stripe saved =
        stripe_as_f32<Isa>(t.saved, t.length, t.lines, second_half(t, t.length * softmax_stripe));
    const target out = target_of(t);
    for (dim_t c = 0; c < t.lines; c += size)
        columns_backward<Isa>(t, saved, diff, out, c, smaller(size, t.lines - c));
    finish_stripe<Isa>(t, out);
}

template void softmax_rows<this_isa>(const softmax_args &);
template void softmax_rows_backward<this_isa>(const softmax_args &);
template void softmax_columns<this_isa>(const softmax_args &);
template void softmax_columns_backward<this_isa>(const softmax_args &);

} // namespace dnnl::impl::cpu
