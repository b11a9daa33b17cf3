// SPDX-License-Identifier: Apache-2.0
// Softmax along rows; see elementwise_kernels.hpp. A row is read for its maximum, then for
// exponentials, which wait as f32 in a buffer (of the logarithm the elements), and written once.
#include "cpu/kernels/elementwise/elementwise_kernels.hpp"
#include "cpu/kernels/elementwise/softmax_results.hpp"
#include "cpu/simd/math.hpp"

namespace dnnl::impl::cpu {

namespace {

// Calls body(i, lanes, part) for the vectors of a row: `lanes` elements from i on, which belong to
// partial sum `part` (row_values.hpp).
template <class Isa, class Body> DNNL_INLINE void for_each_vector(dim_t length, const Body &body) {
    constexpr dim_t size = vec<f32, Isa>::size;
    dim_t i = 0;
    for (; i + 16 <= length; i += 16) {
#pragma GCC unroll 2
        for (int part = 0; part < parts<Isa>; ++part) body(i + part * size, all_lanes {}, part);
    }
#pragma GCC unroll 2
    for (int part = 0; part < parts<Isa>; ++part, i += size)
        if (i < length) body(i, smaller(size, length - i), part);
}
// Lanes from n on become `other`.
template <class Isa>
DNNL_INLINE vec<f32, Isa> keep(vec<f32, Isa> x, all_lanes, [[maybe_unused]] f32 other) {
    return x;
}
template <class Isa> DNNL_INLINE vec<f32, Isa> keep(vec<f32, Isa> x, dim_t n, f32 other) {
    using v = vec<f32, Isa>;
    return select(v::lanes::first(n), x, v::set(other));
}
template <class Isa> DNNL_INLINE f32 total(const vec<f32, Isa> (&sum)[parts<Isa>]) {
    if constexpr (parts<Isa> == 2)
        return reduce_add(sum[0] + sum[1]);
    else
        return reduce_add(sum[0]);
}

template <class Isa, class T> DNNL_INLINE f32 maximum(const T *x, dim_t length) {
    using v = vec<f32, Isa>;
    const f32 lowest = -__builtin_inff();
    v best[4];
    for (v &b : best) b = v::set(lowest);
    dim_t i = 0;
    for (; i + 4 * v::size <= length; i += 4 * v::size) {
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) best[c] = max(best[c], load_as_f32<Isa>(x + i + c * v::size));
    }
    for (; i + v::size <= length; i += v::size) best[0] = max(best[0], load_as_f32<Isa>(x + i));
    if (i < length) {
        const dim_t n = length - i;
        best[1] = max(best[1], keep<Isa>(load_as_f32<Isa>(x + i, n), n, lowest));
    }
    return reduce_max(max(max(best[0], best[1]), max(best[2], best[3])));
}

// Returns the sum of exp(x[i] - m). e receives the exponentials; for the logarithm the elements,
// unless they are f32 already.
template <class Isa, bool Log, class T>
DNNL_INLINE f32 exponentials(const T *x, dim_t length, f32 m, f32 *e) {
    using v = vec<f32, Isa>;
    v sum[parts<Isa>];
    for (v &s : sum) s = v::zero();
    for_each_vector<Isa>(length, [&](dim_t i, auto lanes, int part) {
        const v value = load_as_f32<Isa>(x + i, lanes);
        const v y = exp_nonpositive<Isa>(value - v::set(m));
        if constexpr (!Log)
            y.store(e + i, lanes);
        else if constexpr (!__is_same(T, f32))
            value.store(e + i, lanes);
        sum[part] = sum[part] + keep<Isa>(y, lanes, 0.0f);
    });
    return total<Isa>(sum);
}

// Rows that are computed together, so that the additions across lanes at the end of one row overlap
// with the next row.
struct row_group {
    const f32 *x[softmax_group]; // exponentials, or for the logarithm the elements
    f32 m[softmax_group], sum[softmax_group];
    dim_t first, count;
};

// Stores the results of a group as elements of `type`, rows `stride` elements apart.
template <class Isa, bool Log>
[[gnu::noinline]] void results(const result_scales &scales, const row_group &g, dim_t length,
    data_type type, void *dst, dim_t stride) {
    using v = vec<f32, Isa>;
    for (dim_t k = 0; k < g.count; ++k) {
        const f32 *x = g.x[k];
        const v m = v::set(g.m[k]);
        const v last = Log ? log<Isa>(v::set(g.sum[k])) : v::set(1.0f / g.sum[k]);
        store_results<Isa>(scales, length, type,
            element_at(static_cast<char *>(dst), type, k * stride), [&](dim_t i, auto lanes) {
                const v y = v::load(x + i, lanes);
                return Log ? (y - m) - last : y * last;
            });
    }
}

// Computes rows [first, last): adjacent elements from x on, rows src_row elements apart.
template <class Isa, bool Log, class T>
void rows(
    const row_tile &t, const softmax_args &a, const T *x, dim_t first, dim_t last, dim_t src_row) {
    const result_scales scales(t.finish);
    const dim_t length = t.columns;
    f32 *out[softmax_group];
    for (row_group g {{}, {}, {}, first, 0}; g.first < last; g.first += g.count) {
        g.count = smaller(a.rows_at_once, last - g.first);
        for (dim_t k = 0; k < g.count; ++k) g.m[k] = maximum<Isa>(x + k * src_row, length);
        for (dim_t k = 0; k < g.count; ++k, x += src_row) {
            out[k] = results_at(t, g.first + k, 0, a.buffer + k * ((length + 15) / 16 * 16));
            g.sum[k] = exponentials<Isa, Log>(x, length, g.m[k], out[k]);
            g.x[k] = out[k];
            if constexpr (Log && __is_same(T, f32)) g.x[k] = x;
        }
        if (scales.only_scales) {
            results<Isa, Log>(scales, g, length, t.dst.type, element(t.dst, g.first, 0), t.dst.row);
            continue;
        }
        results<Isa, Log>(
            result_scales(nullptr), g, length, data_type::f32, out[0], (length + 15) / 16 * 16);
        for (dim_t k = 0; k < g.count; ++k) finish_row<Isa>(t, out[k], length, g.first + k, 0);
    }
}

template <class Isa, bool Log> void rows_of_any_type(const row_tile &t, const softmax_args &a) {
    const row_tensor &src = t.src[0];
    if (src.column == 1)
        return with_softmax_type(src.type, [&](auto e) {
            rows<Isa, Log>(
                t, a, reinterpret_cast<const decltype(e) *>(src.data), 0, t.rows, src.row);
        });
    for (dim_t row = 0; row < t.rows; ++row) {
        const f32 *x = values_of<Isa>(src, row, 0, t.columns, a.buffer);
        rows<Isa, Log>(t, a, x, row, row + 1, 0);
    }
}

// ---- Backward ----

// Returns the sum of saved[i] * diff[i], for the logarithm that of diff[i].
template <class Isa, bool Log, class T>
DNNL_INLINE f32 dot(const T *saved, const T *diff, dim_t length) {
    using v = vec<f32, Isa>;
    constexpr int groups = 4;
    v sum[groups][parts<Isa>];
    for (auto &group : sum)
        for (v &s : group) s = v::zero();
    const auto add = [&](v &s, dim_t i, auto lanes) {
        const v dd = load_as_f32<Isa>(diff + i, lanes);
        if constexpr (Log)
            s = s + dd;
        else
            s = fma(load_as_f32<Isa>(saved + i, lanes), dd, s);
    };
    dim_t i = 0;
    for (; i + groups * 16 <= length; i += groups * 16) {
#pragma GCC unroll 4
        for (int g = 0; g < groups; ++g)
#pragma GCC unroll 2
            for (int part = 0; part < parts<Isa>; ++part)
                add(sum[g][part], i + g * 16 + part * v::size, all_lanes {});
    }
    for_each_vector<Isa>(
        length - i, [&](dim_t c, auto lanes, int part) { add(sum[0][part], i + c, lanes); });
    v joined[parts<Isa>];
    for (int part = 0; part < parts<Isa>; ++part)
        joined[part] = (sum[0][part] + sum[1][part]) + (sum[2][part] + sum[3][part]);
    return total<Isa>(joined);
}

template <class Isa, bool Log, class T>
DNNL_INLINE void gradients(const T *saved, const T *diff, dim_t length, f32 total, T *out) {
    using v = vec<f32, Isa>;
    const v sum = v::set(total);
    store_results<Isa, false>(result_scales(nullptr), length, out, [&](dim_t i, auto lanes) {
        const v d = load_as_f32<Isa>(saved + i, lanes), dd = load_as_f32<Isa>(diff + i, lanes);
        return Log ? fnma(exp<Isa>(d), sum, dd) : d * (dd - sum);
    });
}

// The gradients of rows whose tensors have adjacent elements of one type, rows_at_once at a time.
template <class Isa, bool Log, class T>
[[gnu::flatten]] void rows_backward(const row_tile &t, dim_t rows_at_once) {
    const auto at = [](const row_tensor &x, dim_t row) {
        return static_cast<T *>(x.data) + row * x.row;
    };
    for (dim_t first = 0; first < t.rows; first += rows_at_once) {
        const dim_t last = smaller(first + rows_at_once, t.rows);
        f32 sums[softmax_group];
        for (dim_t r = first; r < last; ++r)
            sums[r - first] = dot<Isa, Log, T>(at(t.src[1], r), at(t.src[0], r), t.columns);
        for (dim_t r = first; r < last; ++r)
            gradients<Isa, Log, T>(
                at(t.src[1], r), at(t.src[0], r), t.columns, sums[r - first], at(t.dst, r));
    }
}

template <class Isa, bool Log> void backward_of_any_type(const row_tile &t, const softmax_args &a) {
    const row_tensor &diff = t.src[0], &saved = t.src[1];
    const dim_t length = t.columns;
    if (diff.type == t.dst.type && saved.type == t.dst.type && diff.column == 1 &&
        saved.column == 1)
        return with_float(
            t.dst.type, [&](auto e) { rows_backward<Isa, Log, decltype(e)>(t, a.rows_at_once); });
    f32 *second_row = a.buffer ? a.buffer + (length + 15) / 16 * 16 : nullptr;
    for (dim_t row = 0; row < t.rows; ++row) {
        f32 *out = results_at(t, row, 0, a.buffer);
        const f32 *dd = values_of<Isa>(diff, row, 0, length, a.buffer);
        const f32 *d = values_of<Isa>(saved, row, 0, length, second_row);
        gradients<Isa, Log>(d, dd, length, dot<Isa, Log>(d, dd, length), out);
        finish_row<Isa>(t, out, length, row, 0);
    }
}

} // namespace

template <class Isa> void softmax_rows(const row_tile &t, const softmax_args &a) {
    a.log ? rows_of_any_type<Isa, true>(t, a) : rows_of_any_type<Isa, false>(t, a);
}
template <class Isa> void softmax_rows_backward(const row_tile &t, const softmax_args &a) {
    a.log ? backward_of_any_type<Isa, true>(t, a) : backward_of_any_type<Isa, false>(t, a);
}

template void softmax_rows<this_isa>(const row_tile &, const softmax_args &);
template void softmax_rows_backward<this_isa>(const row_tile &, const softmax_args &);

} // namespace dnnl::impl::cpu
