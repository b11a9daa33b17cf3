// SPDX-License-Identifier: Apache-2.0
// Normalization of whole rows; see normalize.hpp. A row is read for its mean, its variance and
// its results: rows of up to 1,024 columns from L1 but for the first time.
#include "cpu/kernels/normalization/normalize.hpp"

#include "cpu/kernels/normalization/terms.hpp"
#include "cpu/simd/block.hpp"

namespace dnnl::impl::cpu {

namespace {

// Computes R rows at once; a sum has P pairs of accumulators. ZeroMean: the mean counts as 0.
template <class Isa, class T, int R, int P, bool ZeroMean> struct some_rows {
    using v = vec<f32, Isa>;
    using pair = block<Isa, T, 2>;
    const T *src[R];
    dim_t columns;

    // Calls body(x, r, k, n) for each vector x of row r; its first n lanes are elements, and it is
    // to be combined with accumulator k.
    template <class Body> DNNL_INLINE void for_vectors_of_rows(const Body &body) const {
        dim_t i = 0;
        for (; i + P * pair::size <= columns; i += P * pair::size) add_pairs<P>(i, body);
        for (; i + pair::size <= columns; i += pair::size) add_pairs<1>(i, body);
        for (; i < columns; i += v::size) {
            const dim_t n = smaller(columns - i, v::size);
#pragma GCC unroll 4
            for (int r = 0; r < R; ++r) body(load_up_to<Isa>(src[r] + i, n), r, 0, n);
        }
    }
    DNNL_INLINE static v deviation(v x, v mean) { return ZeroMean ? x : x - mean; }
    DNNL_INLINE void sum(f32 (&totals)[R]) const {
        v sums[R][2 * P] {};
        for_vectors_of_rows([&](v x, int r, int k, dim_t n) __attribute__((always_inline)) {
            source_term<Isa>::add(sums[r][k], sums[r][k], x, x, x, x, n);
        });
        add_up(sums, totals);
    }
    DNNL_INLINE void sum_squares(const f32 (&mean)[R], f32 (&totals)[R]) const {
        v sums[R][2 * P] {}, middle[R];
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) middle[r] = v::set(mean[r]);
        for_vectors_of_rows([&](v x, int r, int k, dim_t n) __attribute__((always_inline)) {
            const v d = first_lanes<Isa>(deviation(x, middle[r]), n);
            sums[r][k] = fma(d, d, sums[r][k]);
        });
        add_up(sums, totals);
    }
    DNNL_INLINE void store(const f32 (&mean)[R], const f32 (&inverse)[R], const f32 *scale,
        const f32 *shift, T *const (&dst)[R]) const {
        v middle[R], factor[R];
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) {
            middle[r] = v::set(mean[r]);
            factor[r] = v::set(inverse[r]);
        }
        const auto result = [&](v x, int r, v scale_of_column, v shift_of_column)
            __attribute__((always_inline)) {
            return fma(deviation(x, middle[r]), factor[r] * scale_of_column, shift_of_column);
        };
        dim_t i = 0;
        for (; i + pair::size <= columns; i += pair::size) {
            const pair a = scale ? pair::load(scale + i) : pair::set(1);
            const pair b = shift ? pair::load(shift + i) : pair::set(0);
#pragma GCC unroll 4
            for (int r = 0; r < R; ++r) {
                const pair x = pair::load(src[r] + i);
                pair {{result(x.x[0], r, a.x[0], b.x[0]), result(x.x[1], r, a.x[1], b.x[1])}}.store(
                    dst[r] + i);
            }
        }
        for (; i < columns; i += v::size) {
            const dim_t n = smaller(columns - i, v::size);
            const v a = scale ? load_up_to<Isa>(scale + i, n) : v::set(1);
            const v b = shift ? load_up_to<Isa>(shift + i, n) : v::zero();
#pragma GCC unroll 4
            for (int r = 0; r < R; ++r)
                store_up_to(dst[r] + i, result(load_up_to<Isa>(src[r] + i, n), r, a, b), n);
        }
    }

  private:
    template <int Pairs, class Body> DNNL_INLINE void add_pairs(dim_t i, const Body &body) const {
#pragma GCC unroll 4
        for (int p = 0; p < Pairs; ++p) {
#pragma GCC unroll 4
            for (int r = 0; r < R; ++r) {
                const pair x = pair::load(src[r] + i + p * pair::size);
                body(x.x[0], r, 2 * p, dim_t {v::size});
                body(x.x[1], r, 2 * p + 1, dim_t {v::size});
            }
        }
    }
    DNNL_INLINE static void add_up(const v (&sums)[R][2 * P], f32 (&totals)[R]) {
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) {
            v pairs[P];
#pragma GCC unroll 4
            for (int p = 0; p < P; ++p) pairs[p] = sums[r][2 * p] + sums[r][2 * p + 1];
            if constexpr (P == 4)
                totals[r] = reduce_add((pairs[0] + pairs[1]) + (pairs[2] + pairs[3]));
            else
                totals[r] = reduce_add(pairs[0]);
        }
    }
};

// Computes R rows, whose statistics are found for S rows at once.
template <class Isa, class T, int R, int P, bool ZeroMean = false, int S = R>
DNNL_INLINE void normalize_some(const normalize_rows_args &a, dim_t row) {
    some_rows<Isa, T, R, 1, ZeroMean> rows;
    some_rows<Isa, T, S, P, ZeroMean> part;
    T *dst[R];
    rows.columns = part.columns = a.columns;
    const f32 size = static_cast<f32>(a.columns);
    f32 mean[R] {}, inverse[R];
    for (int first = 0; first < R; first += S) {
        f32 means[S] {}, variance[S];
        for (int r = 0; r < S; ++r) {
            part.src[r] = static_cast<const T *>(a.src) + (row + first + r) * a.src_stride;
            rows.src[first + r] = part.src[r];
            dst[first + r] = static_cast<T *>(a.dst) + (row + first + r) * a.dst_stride;
        }
        const bool finds_mean = !ZeroMean && (S > 1 || a.mean);
        if (finds_mean) {
            part.sum(means);
            for (int r = 0; r < S; ++r)
                a.mean[row + first + r] = mean[first + r] = means[r] /= size;
        }
        part.sum_squares(means, variance);
        for (int r = 0; r < S; ++r) {
            variance[r] /= size;
            inverse[first + r] =
                static_cast<f32>(1.0 / __builtin_sqrt(double {variance[r]} + a.epsilon));
            a.variance[row + first + r] = variance[r];
        }
    }
    rows.store(mean, inverse, a.scale, a.shift, dst);
}

// Computes groups of four rows from `row` on and returns the first row after them. A function of
// its own, so that the loop over single rows takes no registers from it.
template <class Isa, class T, bool ZeroMean>
[[gnu::noinline]] dim_t normalize_fours(const normalize_rows_args &a, dim_t row) {
    for (; row + 4 <= a.rows; row += 4) normalize_some<Isa, T, 4, 1, ZeroMean>(a, row);
    return row;
}

} // namespace

// Rows of up to 1,024 columns have one pair of accumulators, also alone, so that the order of their
// sums does not depend on the number of rows. Of long rows, whose scale and shift leave no room in
// L1 or take more bytes than they, the results of two are computed at once.
template <class Isa, class T> void normalize_rows(const normalize_rows_args &a) {
    constexpr dim_t short_row = 1024; // four of them stay in L1
    dim_t row = 0;
    if (a.columns > short_row) {
        const bool share = a.shift && a.columns > dim_t {sizeof(T)} * 512;
        for (; share && row + 2 <= a.rows; row += 2) normalize_some<Isa, T, 2, 4, false, 1>(a, row);
        for (; row < a.rows; ++row) normalize_some<Isa, T, 1, 4>(a, row);
    }
    row = a.mean ? normalize_fours<Isa, T, false>(a, row) : normalize_fours<Isa, T, true>(a, row);
    for (; row < a.rows; ++row) normalize_some<Isa, T, 1, 1>(a, row);
}

#if !defined(__AVX512BF16__) // this level rounds bf16 only
template void normalize_rows<this_isa, f32>(const normalize_rows_args &);
#endif
template void normalize_rows<this_isa, bf16>(const normalize_rows_args &);

} // namespace dnnl::impl::cpu
