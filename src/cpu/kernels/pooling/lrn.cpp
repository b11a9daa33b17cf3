// SPDX-License-Identifier: Apache-2.0
// Local response normalization; see pool.hpp. The window is a box, so its sums are sums along
// one dimension after the other.
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/simd/convert.hpp"
#include "cpu/simd/math.hpp"

namespace dnnl::impl::cpu {

namespace {

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

// Row r of `to` = the sum of the rows r + j * distance of `from` that exist, |j| <= half; r is
// number `place` of the `count` rows that are `distance` apart.
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

// Replaces every element of `now` by the sum over its window; `spare` is overwritten.
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

// x = src, now = the sums of its squares over the windows.
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

// ---- omega^-beta ----

// value is omega^-beta. divided() divides by omega in two steps, because 1 / omega may lie outside
// the range of f32.
template <class Isa> struct lrn_power {
    vec<f32, Isa> value, inverse_root, signed_inverse_root;
    DNNL_INLINE vec<f32, Isa> divided(vec<f32, Isa> y) const {
        return y * inverse_root * signed_inverse_root;
    }
};

// The powers of any omega for any beta.
template <class Isa> [[gnu::noinline]] lrn_power<Isa> any_power(vec<f32, Isa> omega, f32 beta) {
    using v = vec<f32, Isa>;
    const v inverse = inverse_sqrt<Isa>(abs(omega));
    const v value = beta == 0.0f ? v::set(1.0f) : pow_general<Isa>(omega, -beta);
    return {value, inverse, copy_sign(inverse, omega)};
}

// The powers of omega. For beta = 0.75, which is usual, omega in (2^-80, 2^80) takes roots only.
template <class Isa> struct lrn_powers {
    f32 beta, limit;
    DNNL_INLINE explicit lrn_powers(const lrn_args &a)
        : beta(a.beta), limit(a.beta == 0.75f ? 0x1p80f : 0.0f) {}
    DNNL_INLINE lrn_power<Isa> of(vec<f32, Isa> omega) const {
        using v = vec<f32, Isa>;
        const auto usual = (omega > v::set(0x1p-80f)) & (omega < v::set(limit));
        const v inverse = inverse_sqrt<Isa>(omega);
        const v root = v::size == 16 ? inverse * inverse_sqrt<Isa>(inverse) : sqrt(inverse);
        const v value = inverse * root;
        if (__builtin_expect(all(usual), 1)) return {value, inverse, inverse};
        // Each lane depends on its own omega alone, because lanes beyond the end of the row hold
        // arbitrary numbers.
        const lrn_power<Isa> any = any_power<Isa>(omega, beta);
        return {select(usual, value, any.value), select(usual, inverse, any.inverse_root),
            select(usual, inverse, any.signed_inverse_root)};
    }
};

// ---- Windows along a row of adjacent elements ----

// Calls f(address, i, n) for the vectors of a row of memory: n lanes from element i on.
template <class Isa, class T, class Body>
DNNL_INLINE void for_row_vectors(const lrn_args &a, const lrn_tensor &t, dim_t r, const Body &f) {
    T *run = static_cast<T *>(t.data) + r * t.row_stride;
    for (dim_t i = 0; i < a.row_length; i += a.run_length, run += t.run_stride)
        for_vectors<Isa>(smaller(a.run_length, a.row_length - i),
            [&](dim_t k, dim_t n) { f(run + k, i + k, n); });
}

template <class Isa> DNNL_INLINE void clear_margins_of(const lrn_args &a, f32 *line) {
    for (dim_t i = 0; i < a.half_row; ++i) line[i - a.half_row] = line[a.row_length + i] = 0;
}

// Returns the sums of squares over the windows around the elements from `line` on.
template <class Isa> DNNL_INLINE vec<f32, Isa> squares_along(const f32 *line, dim_t half) {
    using v = vec<f32, Isa>;
    v sum = v::zero();
    for (dim_t j = -half; j <= half; ++j) {
        const v x = v::load(line + j);
        sum = fma(x, x, sum);
    }
    return sum;
}

// Windows along rows. Each step takes a row, or rows of 1,024 elements together, before the next
// step, because a load that spans two stored vectors cannot be forwarded from the store buffer.
// A share is diff * src * omega^(-beta - 1), which gradients sum over their windows.
template <class Isa, class T, bool Forward> void rows_of_windows(const lrn_args &a) {
    using v = vec<f32, Isa>;
    const dim_t group = smaller(a.rows, larger(1, 1024 / a.row_length));
    const slab<Isa> line(a, 0), shares(a, 1), direct(a, 2);
    for (dim_t r = 0; r < group; ++r) {
        clear_margins_of<Isa>(a, line.row(r));
        clear_margins_of<Isa>(a, shares.row(r));
    }
    const v outer = v::set(2 * a.factor * a.beta), factor = v::set(a.factor), k = v::set(a.k);
    const auto for_group = [&](dim_t first, const auto &body) {
        for (dim_t r = first; r < smaller(first + group, a.rows); ++r) body(r, r - first);
    };
    const lrn_powers<Isa> powers(a);
    const auto power_at = [&](const f32 *x) {
        return powers.of(fma(factor, squares_along<Isa>(x, a.half_row), k));
    };
    const auto outputs_of_row = [&](dim_t r, dim_t place) {
        const f32 *x = line.row(place);
        for_row_vectors<Isa, T>(a, a.dst, r, [&](T *p, dim_t i, dim_t n) {
            store_up_to(p, v::load(x + i) * power_at(x + i).value, n);
        });
    };
    const auto shares_of_row = [&](dim_t r, dim_t place) {
        const f32 *x = line.row(place);
        for_row_vectors<Isa, const T>(a, a.diff, r, [&](const T *p, dim_t i, dim_t n) {
            const auto power = power_at(x + i);
            const v own = load_up_to<Isa>(p, n) * power.value;
            store_up_to(direct.row(place) + i, own, n);
            store_up_to(shares.row(place) + i, power.divided(own * v::load(x + i)), n);
        });
    };
    const auto gradients_of_row = [&](dim_t r, dim_t place) {
        const f32 *x = line.row(place), *y = shares.row(place), *own = direct.row(place);
        for_row_vectors<Isa, T>(a, a.dst, r, [&](T *p, dim_t i, dim_t n) {
            v sum = v::zero();
            for (dim_t j = -a.half_row; j <= a.half_row; ++j) sum = sum + v::load(y + i + j);
            store_up_to(p, fnma(outer * v::load(x + i), sum, v::load(own + i)), n);
        });
    };
    for (dim_t first = 0; first < a.rows; first += group) {
        for_group(first, [&](dim_t r, dim_t place) {
            f32 *x = line.row(place);
            for_row_vectors<Isa, const T>(a, a.src, r, [&](const T *p, dim_t i, dim_t n) {
                store_up_to(x + i, load_up_to<Isa>(p, n), n);
            });
        });
        if constexpr (Forward) {
            for_group(first, outputs_of_row);
        } else {
            for_group(first, shares_of_row);
            for_group(first, gradients_of_row);
        }
    }
}

// ---- Windows over rows ----

// Windows over rows that are read where they lie. Backward, the shares of all rows and the other
// term of their gradients, diff * omega^-beta, are stored first.
template <class Isa, class T, bool Forward> void windows_of_rows(const lrn_args &a) {
    using v = vec<f32, Isa>;
    const slab<Isa> shares(a, 0), direct(a, 1);
    const v outer = v::set(2 * a.factor * a.beta), factor = v::set(a.factor), k = v::set(a.k);
    const dim_t stride = a.src.row_stride;
    const T *src = static_cast<const T *>(a.src.data);
    const auto x_at = [&](dim_t r, dim_t i, dim_t n) {
        return load_up_to<Isa>(src + r * stride + i, n);
    };
    const auto for_window = [&](dim_t r, const auto &body) {
        const dim_t last = smaller(r + a.half_rows, a.rows - 1);
        for (dim_t j = larger(r - a.half_rows, 0); j <= last; ++j) body(j);
    };
    const lrn_powers<Isa> powers(a);
    for (dim_t r = 0; r < a.rows; ++r)
        for_vectors<Isa>(a.row_length, [&](dim_t i, dim_t n) {
            v sum = v::zero();
            for_window(r, [&](dim_t j) {
                const v x = x_at(j, i, n);
                sum = fma(x, x, sum);
            });
            const auto power = powers.of(fma(factor, sum, k));
            if constexpr (Forward) {
                T *dst = static_cast<T *>(a.dst.data) + r * a.dst.row_stride;
                store_up_to(dst + i, x_at(r, i, n) * power.value, n);
            } else {
                const T *from = static_cast<const T *>(a.diff.data) + r * a.diff.row_stride;
                const v diff = load_up_to<Isa>(from + i, n);
                const v own = diff * power.value;
                store_up_to(direct.row(r) + i, own, n);
                store_up_to(shares.row(r) + i, power.divided(own * x_at(r, i, n)), n);
            }
        });
    if constexpr (!Forward)
        for (dim_t r = 0; r < a.rows; ++r)
            for_vectors<Isa>(a.row_length, [&](dim_t i, dim_t n) {
                v sum = v::zero();
                for_window(r, [&](dim_t j) { sum = sum + load_up_to<Isa>(shares.row(j) + i, n); });
                T *dst = static_cast<T *>(a.dst.data) + r * a.dst.row_stride;
                const v own = load_up_to<Isa>(direct.row(r) + i, n);
                store_up_to(dst + i, fnma(outer * x_at(r, i, n), sum, own), n);
            });
}

// Computes windows that reach along one dimension, of f32 or bf16; returns false for others.
template <class Isa, bool Forward> bool one_dimension(const lrn_args &a) {
    if (a.planes != 1 || a.half_planes != 0) return false;
    if (a.type != data_type::f32 && a.type != data_type::bf16) return false;
    const bool along_rows = a.half_rows == 0 && a.row_step == 1;
    if (!along_rows && (a.half_row != 0 || a.run_length < a.row_length)) return false;
    const auto run = [&]<class T>(T) {
        along_rows ? rows_of_windows<Isa, T, Forward>(a) : windows_of_rows<Isa, T, Forward>(a);
    };
    a.type == data_type::f32 ? run(f32 {}) : run(bf16 {});
    return true;
}

} // namespace

template <class Isa> void lrn_forward(const lrn_args &a) {
    if (one_dimension<Isa, true>(a)) return;
    const slab<Isa> x(a, 0);
    slab<Isa> sums(a, 1), spare(a, 2);
    sums_of_squares<Isa>(a, x, sums, spare);
    const lrn_powers<Isa> powers(a);
    for (dim_t r = 0; r < a.planes * a.rows; ++r) {
        f32 *row = x.row(r);
        for_vectors<Isa>(a.row_length, [&](dim_t i, dim_t n) {
            const auto p = powers.of(omega_of<Isa>(a, sums.row(r) + i, n)).value;
            store_up_to(row + i, load_up_to<Isa>(row + i, n) * p, n);
        });
        store_row<Isa>(a, r, row);
    }
}

template <class Isa> void lrn_backward(const lrn_args &a) {
    using v = vec<f32, Isa>;
    if (one_dimension<Isa, false>(a)) return;
    const slab<Isa> x(a, 0), diff(a, 3);
    slab<Isa> sums(a, 1), spare(a, 2);
    sums_of_squares<Isa>(a, x, sums, spare);
    const lrn_powers<Isa> powers(a);
    for (dim_t r = 0; r < a.planes * a.rows; ++r) {
        f32 *direct = diff.row(r);
        load_row<Isa>(a, a.diff, r, direct);
        for_vectors<Isa>(a.row_length, [&](dim_t i, dim_t n) {
            const v omega = omega_of<Isa>(a, sums.row(r) + i, n);
            const auto power = powers.of(omega);
            const v own = load_up_to<Isa>(direct + i, n) * power.value;
            const v share = power.divided(own * load_up_to<Isa>(x.row(r) + i, n));
            store_up_to(direct + i, own, n);
            store_up_to(sums.row(r) + i, share, n);
        });
    }
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
