// SPDX-License-Identifier: Apache-2.0
// Local response normalization; see pooling.hpp. The window is a box, so its sums are sums along
// one dimension after the other.
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/kernels/pooling/pooling.hpp"
#include "cpu/simd/convert.hpp"
#include "cpu/simd/eltwise.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

namespace {

DNNL_INLINE dim_t larger(dim_t a, dim_t b) { return a > b ? a : b; }

// One of four copies of the slab in f32. Each row has zeros on both sides, so that windows may
// reach over its ends.
template <class Isa> struct slab {
    f32 *first;
    dim_t pitch;
    DNNL_INLINE slab(const lrn_args &a, int index)
        : first(a.buffer + index * (lrn_buffer_size(a) / 4) + a.half_row * a.row_step),
          pitch(lrn_pitch(a)) {}
    DNNL_INLINE f32 *row(dim_t r) const { return first + r * pitch; }
};

// Calls body(address of a run, its first element in the row, its length).
template <class Isa, class Body>
DNNL_INLINE void for_runs(const lrn_args &a, const lrn_tensor &t, dim_t r, const Body &body) {
    char *run = element_at(t.data, a.type, r / a.rows * t.plane_stride + r % a.rows * t.row_stride);
    const dim_t step_bytes = t.run_stride * size_in_bytes(a.type);
    for (dim_t i = 0; i < a.row_length; i += a.run_length, run += step_bytes)
        body(run, i, smaller(a.run_length, a.row_length - i));
}
template <class Isa> void load_row(const lrn_args &a, const lrn_tensor &t, dim_t r, f32 *to) {
    for_runs<Isa>(a, t, r,
        [&](const char *from, dim_t i, dim_t n) { row_to_f32<Isa>(from, a.type, 1, n, to + i); });
}
template <class Isa> void store_row(const lrn_args &a, dim_t r, const f32 *from) {
    for_runs<Isa>(a, a.dst, r,
        [&](char *to, dim_t i, dim_t n) { row_from_f32<Isa>(from + i, n, a.type, to); });
}

// Writes the zeros on both sides of all rows.
template <class Isa> void clear_margins(const lrn_args &a, const slab<Isa> &s) {
    const dim_t margin = a.half_row * a.row_step;
    for (dim_t r = 0; r < a.planes * a.rows; ++r)
        for (dim_t i = 0; i < margin; ++i) s.row(r)[i - margin] = s.row(r)[a.row_length + i] = 0;
}

// to[i] = the sum of from[i + j * row_step], |j| <= half_row.
template <class Isa> void sum_along_row(const lrn_args &a, const f32 *from, f32 *to) {
    using v = vec<f32, Isa>;
    for_vectors<Isa>(a.row_length, [&](dim_t i, dim_t n) {
        v sum = v::zero();
        for (dim_t j = -a.half_row; j <= a.half_row; ++j)
            sum = sum + load_up_to<Isa>(from + i + j * a.row_step, n);
        store_up_to(to + i, sum, n);
    });
}

// Row r of `to` = the sum of the rows r + j * distance of `from` that exist, |j| <= half; `place`
// of `count` is r's own.
template <class Isa>
void sum_over_rows(const lrn_args &a, const slab<Isa> &from, const slab<Isa> &to, dim_t r,
    dim_t place, dim_t count, dim_t half, dim_t distance) {
    using v = vec<f32, Isa>;
    const dim_t first = larger(-half, -place), last = smaller(half, count - 1 - place);
    for_vectors<Isa>(a.row_length, [&](dim_t i, dim_t n) {
        v sum = v::zero();
        for (dim_t j = first; j <= last; ++j)
            sum = sum + load_up_to<Isa>(from.row(r + j * distance) + i, n);
        store_up_to(to.row(r) + i, sum, n);
    });
}

// Replaces every element by the sum over its window; the result is in `now`, `spare` is used.
template <class Isa> void sum_over_windows(const lrn_args &a, slab<Isa> &now, slab<Isa> &spare) {
    const auto pass = [&](dim_t half, const auto &sum_row) {
        if (half == 0) return;
        for (dim_t r = 0; r < a.planes * a.rows; ++r) sum_row(r);
        const slab<Isa> other = now;
        now = spare;
        spare = other;
    };
    pass(a.half_row, [&](dim_t r) { sum_along_row<Isa>(a, now.row(r), spare.row(r)); });
    pass(a.half_rows,
        [&](dim_t r) { sum_over_rows<Isa>(a, now, spare, r, r % a.rows, a.rows, a.half_rows, 1); });
    pass(a.half_planes, [&](dim_t r) {
        sum_over_rows<Isa>(a, now, spare, r, r / a.rows, a.planes, a.half_planes, a.rows);
    });
}

// x = src, now = the sums of its squares.
template <class Isa>
void sums_of_squares(const lrn_args &a, const slab<Isa> &x, slab<Isa> &now, slab<Isa> &spare) {
    clear_margins<Isa>(a, now);
    clear_margins<Isa>(a, spare);
    for (dim_t r = 0; r < a.planes * a.rows; ++r) {
        load_row<Isa>(a, a.src, r, x.row(r));
        for_vectors<Isa>(a.row_length, [&](dim_t i, dim_t n) {
            const auto s = load_up_to<Isa>(x.row(r) + i, n);
            store_up_to(now.row(r) + i, s * s, n);
        });
    }
    sum_over_windows<Isa>(a, now, spare);
}

template <class Isa>
DNNL_INLINE vec<f32, Isa> omega_of(const lrn_args &a, const f32 *sums, dim_t n) {
    using v = vec<f32, Isa>;
    return fma(v::set(a.factor), load_up_to<Isa>(sums, n), v::set(a.k));
}

} // namespace

template <class Isa> void lrn_forward(const lrn_args &a) {
    const slab<Isa> x(a, 0);
    slab<Isa> sums(a, 1), spare(a, 2);
    sums_of_squares<Isa>(a, x, sums, spare);
    with_pow<Isa>(1.0f, -a.beta, [&](const auto &power) {
        for (dim_t r = 0; r < a.planes * a.rows; ++r) {
            f32 *row = x.row(r);
            for_vectors<Isa>(a.row_length, [&](dim_t i, dim_t n) {
                const auto p = power(omega_of<Isa>(a, sums.row(r) + i, n));
                store_up_to(row + i, load_up_to<Isa>(row + i, n) * p, n);
            });
            store_row<Isa>(a, r, row);
        }
    });
}

template <class Isa> void lrn_backward(const lrn_args &a) {
    using v = vec<f32, Isa>;
    const slab<Isa> x(a, 0), diff(a, 3);
    slab<Isa> sums(a, 1), spare(a, 2);
    sums_of_squares<Isa>(a, x, sums, spare);
    with_pow<Isa>(1.0f, -a.beta, [&](const auto &power) {
        for (dim_t r = 0; r < a.planes * a.rows; ++r) {
            f32 *direct = diff.row(r);
            load_row<Isa>(a, a.diff, r, direct);
            for_vectors<Isa>(a.row_length, [&](dim_t i, dim_t n) {
                const v omega = omega_of<Isa>(a, sums.row(r) + i, n);
                const v scaled = load_up_to<Isa>(direct + i, n) * power(omega);
                store_up_to(direct + i, scaled, n);
                store_up_to(sums.row(r) + i, scaled * load_up_to<Isa>(x.row(r) + i, n) / omega, n);
            });
        }
    });
    sum_over_windows<Isa>(a, sums, spare);
    const v factor = v::set(2 * a.factor * a.beta);
    for (dim_t r = 0; r < a.planes * a.rows; ++r) {
        f32 *row = diff.row(r);
        for_vectors<Isa>(a.row_length, [&](dim_t i, dim_t n) {
            const v s = factor * load_up_to<Isa>(x.row(r) + i, n);
            store_up_to(row + i,
                fnma(s, load_up_to<Isa>(sums.row(r) + i, n), load_up_to<Isa>(row + i, n)), n);
        });
        store_row<Isa>(a, r, row);
    }
}

template void lrn_forward<this_isa>(const lrn_args &);
template void lrn_backward<this_isa>(const lrn_args &);

} // namespace dnnl::impl::cpu
