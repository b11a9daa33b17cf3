// SPDX-License-Identifier: Apache-2.0
// Softmax along columns; see elementwise_kernels.hpp. The columns of a call are copied into a
// stripe: rows of f32 that follow one another, so that it stays in a cache however far the rows are
// apart in memory. Results are computed in the stripe and written once.
#include "cpu/kernels/elementwise/elementwise_kernels.hpp"
#include "cpu/kernels/elementwise/softmax_results.hpp"
#include "cpu/simd/math.hpp"

namespace dnnl::impl::cpu {

namespace {

// Vectors of columns that are computed together.
template <class Isa> inline constexpr int columns_at_once = Isa::vector_registers / 8;

// Stores the tile x as f32 into the stripe and calls body(r, c, vector) for each vector of it.
template <class Isa, class Body>
DNNL_INLINE void copy_stripe(
    const row_tile &t, const row_tensor &x, f32 *stripe, dim_t stride, const Body &body) {
    using v = vec<f32, Isa>;
    with_softmax_type(x.type, [&](auto e) {
        using T = decltype(e);
        for (dim_t r = 0; r < t.rows; ++r) {
            const T *row = reinterpret_cast<const T *>(element(x, r, 0));
            f32 *to = stripe + r * stride;
            const auto copy = [&](dim_t c, auto lanes) {
                const v value = load_as_f32<Isa>(row + c, lanes);
                value.store(to + c);
                body(r, c, value);
            };
            dim_t c = 0;
            for (; c + v::size <= t.columns; c += v::size) copy(c, all_lanes {});
            if (c < t.columns) copy(c, t.columns - c);
        }
    });
}
// The same of a tensor whose columns are not adjacent.
template <class Isa, class Body>
DNNL_INLINE void gather_stripe(
    const row_tile &t, const row_tensor &x, f32 *stripe, dim_t stride, const Body &body) {
    using v = vec<f32, Isa>;
    for (dim_t r = 0; r < t.rows; ++r) {
        f32 *to = stripe + r * stride;
        row_to_f32<Isa>(element(x, r, 0), x.type, x.column, t.columns, to);
        for_vectors<Isa>(t.columns, [&](dim_t c, dim_t n) { body(r, c, v::load(to + c, n)); });
    }
}
template <class Isa, class Body>
DNNL_INLINE void read_stripe(
    const row_tile &t, const row_tensor &x, f32 *stripe, dim_t stride, const Body &body) {
    x.column == 1 ? copy_stripe<Isa>(t, x, stripe, stride, body)
                  : gather_stripe<Isa>(t, x, stripe, stride, body);
}

// Writes y(r, c, lanes), a vector of results, for all elements to dst. Where an epilogue follows,
// the results of a row replace its elements in the stripe first.
template <class Isa, class Results>
DNNL_INLINE void write_stripe(const row_tile &t, f32 *stripe, dim_t stride, const Results &y) {
    const result_scales scales(t.finish);
    for (dim_t r = 0; r < t.rows; ++r) {
        const auto of_row = [&](dim_t c, auto lanes) { return y(r, c, lanes); };
        f32 *row = stripe + r * stride;
        if (scales.only_scales) {
            store_results<Isa>(scales, t.columns, t.dst.type, element(t.dst, r, 0), of_row);
        } else {
            store_results<Isa, false>(result_scales(nullptr), t.columns, row, of_row);
            finish_row<Isa>(t, row, t.columns, r, 0);
        }
    }
}

// For N vectors of columns: replaces the elements x of the stripe by e = exp(x - maximum) and sets
// `last` to 1 / sum of e. For the logarithm the elements stay, and `last` is ln(sum of e).
template <class Isa, bool Log, int N>
DNNL_INLINE void sum_columns(f32 *stripe, dim_t stride, dim_t rows, const f32 *maxima, f32 *last) {
    using v = vec<f32, Isa>;
    v m[N], sum[N];
#pragma GCC unroll 4
    for (int k = 0; k < N; ++k) {
        m[k] = v::load(maxima + k * v::size);
        sum[k] = v::zero();
    }
    for (dim_t r = 0; r < rows; ++r)
#pragma GCC unroll 4
        for (int k = 0; k < N; ++k) {
            f32 *x = stripe + r * stride + k * v::size;
            const v e = exp_nonpositive<Isa>(v::load(x) - m[k]);
            if constexpr (!Log) e.store(x);
            sum[k] = sum[k] + e;
        }
#pragma GCC unroll 4
    for (int k = 0; k < N; ++k)
        (Log ? log<Isa>(sum[k]) : v::set(1.0f) / sum[k]).store(last + k * v::size);
}

template <class Isa, bool Log>
[[gnu::flatten]] void columns(const row_tile &t, f32 *stripe, dim_t stride) {
    using v = vec<f32, Isa>;
    constexpr int N = columns_at_once<Isa>;
    alignas(64) f32 maxima[softmax_stripe], last[softmax_stripe];
    for (dim_t c = 0; c < t.columns; c += v::size) v::set(-__builtin_inff()).store(maxima + c);
    read_stripe<Isa>(t, t.src[0], stripe, stride,
        [&](dim_t, dim_t c, v x) { max(v::load(maxima + c), x).store(maxima + c); });
    dim_t c = 0;
    for (; c + N * v::size <= t.columns; c += N * v::size)
        sum_columns<Isa, Log, N>(stripe + c, stride, t.rows, maxima + c, last + c);
    for (; c < t.columns; c += v::size)
        sum_columns<Isa, Log, 1>(stripe + c, stride, t.rows, maxima + c, last + c);
    write_stripe<Isa>(t, stripe, stride, [&](dim_t r, dim_t c, auto lanes) {
        const v x = v::load(stripe + r * stride + c, lanes), y = v::load(last + c, lanes);
        return Log ? (x - v::load(maxima + c, lanes)) - y : x * y;
    });
}

template <class Isa, bool Log>
[[gnu::flatten]] void columns_backward(const row_tile &t, f32 *stripe, dim_t stride) {
    using v = vec<f32, Isa>;
    f32 *diff = stripe, *saved = stripe + t.rows * stride;
    alignas(64) f32 sums[softmax_stripe];
    for (dim_t c = 0; c < t.columns; c += v::size) v::zero().store(sums + c);
    read_stripe<Isa>(t, t.src[1], saved, stride, [](dim_t, dim_t, v) {});
    read_stripe<Isa>(t, t.src[0], diff, stride, [&](dim_t r, dim_t c, v dd) {
        const v sum = v::load(sums + c);
        (Log ? sum + dd : fma(v::load(saved + r * stride + c), dd, sum)).store(sums + c);
    });
    write_stripe<Isa>(t, stripe, stride, [&](dim_t r, dim_t c, auto lanes) {
        const v d = v::load(saved + r * stride + c, lanes);
        const v dd = v::load(diff + r * stride + c, lanes), sum = v::load(sums + c, lanes);
        return Log ? fnma(exp<Isa>(d), sum, dd) : d * (dd - sum);
    });
}

} // namespace

template <class Isa> void softmax_columns(const row_tile &t, const softmax_args &a) {
    a.log ? columns<Isa, true>(t, a.buffer, a.stripe) : columns<Isa, false>(t, a.buffer, a.stripe);
}
template <class Isa> void softmax_columns_backward(const row_tile &t, const softmax_args &a) {
    a.log ? columns_backward<Isa, true>(t, a.buffer, a.stripe)
          : columns_backward<Isa, false>(t, a.buffer, a.stripe);
}

template void softmax_columns<this_isa>(const row_tile &, const softmax_args &);
template void softmax_columns_backward<this_isa>(const row_tile &, const softmax_args &);

} // namespace dnnl::impl::cpu
