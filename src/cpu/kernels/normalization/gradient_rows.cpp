// SPDX-License-Identifier: Apache-2.0
// Gradients of rows with statistics of their own; see normalize.hpp. Up to four rows at once
// are read for their sums, then, from L2 unless they are long, for their results.
#include "cpu/kernels/normalization/normalize.hpp"
#include "cpu/kernels/normalization/terms.hpp"
#include "cpu/simd/block.hpp"

namespace dnnl::impl::cpu {

namespace {

// Computes R rows at once.
template <class Isa, class T, int R> struct some_gradients {
    using v = vec<f32, Isa>;
    using pair = block<Isa, T, 2>;
    const T *src[R], *diff[R];
    T *dst[R];
    dim_t columns;
    const f32 *scale;
    v mean[R], inverse[R];

    // What the rows add to the sums of gradients of scale and shift, for a vector of columns.
    struct column_sums {
        v d = v::zero(), product = v::zero();
    };
    DNNL_INLINE v normalized(v x, int r) const { return (x - mean[r]) * inverse[r]; }
    DNNL_INLINE void add(v x, v d, v scale_of_column, int r, v (&sums)[2][R],
        column_sums &of_columns, dim_t n = v::size) const {
        using term = gradient_term<Isa>;
        term::add(sums[0][r], sums[1][r], x, d * scale_of_column, mean[r], inverse[r], n);
        term::add(of_columns.d, of_columns.product, x, d, mean[r], inverse[r], n);
    }
    // Adds the columns [i, end) to the sums of the rows and, unless of_d is null, to of_d and
    // of_dz, the sums of columns.
    DNNL_INLINE void add_strip(dim_t i, dim_t end, v (&sums)[2][R], f32 *of_d, f32 *of_dz) const {
        for (; i + pair::size <= end; i += pair::size) {
            const pair s = pair::load(scale + i);
            column_sums first, second;
#pragma GCC unroll 4
            for (int r = 0; r < R; ++r) {
                const pair x = pair::load(src[r] + i), d = pair::load(diff[r] + i);
                add(x.x[0], d.x[0], s.x[0], r, sums, first);
                add(x.x[1], d.x[1], s.x[1], r, sums, second);
            }
            if (!of_d) continue;
            const pair a = pair::load(of_d + i), b = pair::load(of_dz + i);
            pair {{a.x[0] + first.d, a.x[1] + second.d}}.store(of_d + i);
            pair {{b.x[0] + first.product, b.x[1] + second.product}}.store(of_dz + i);
        }
        for (; i < end; i += v::size) {
            const dim_t n = smaller(end - i, v::size);
            const v s = load_up_to<Isa>(scale + i, n);
            column_sums rows;
#pragma GCC unroll 4
            for (int r = 0; r < R; ++r)
                add(load_up_to<Isa>(src[r] + i, n), load_up_to<Isa>(diff[r] + i, n), s, r, sums,
                    rows, n);
            if (!of_d) continue;
            store_up_to(of_d + i, load_up_to<Isa>(of_d + i, n) + rows.d, n);
            store_up_to(of_dz + i, load_up_to<Isa>(of_dz + i, n) + rows.product, n);
        }
    }
    // Sums of a row restart every 64 vectors, which bounds their rounding errors.
    DNNL_INLINE void sum(f32 (&totals)[2][R], f32 *of_d, f32 *of_dz) const {
        constexpr dim_t strip = 64 * v::size;
        for (dim_t i = 0; i < columns; i += strip) {
            v sums[2][R] {};
            add_strip(i, smaller(i + strip, columns), sums, of_d, of_dz);
            for (int t = 0; t < 2; ++t)
                for (int r = 0; r < R; ++r) totals[t][r] += reduce_add(sums[t][r]);
        }
    }
    // means: of scaled d, and of its products with z. Where statistics are given both are 0, and z
    // is replaced by 0, because an infinite z times 0 would be NaN.
    DNNL_INLINE void store(const f32 (&means)[2][R], bool given) const {
        using i32 = vec<s32, Isa>;
        const i32 parts = i32::set(given ? 0 : -1);
        v of_d[R], of_dz[R];
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) {
            of_d[r] = v::set(means[0][r]);
            of_dz[r] = v::set(means[1][r]);
        }
        const auto result = [&](v x, v d, v scale_of_column, int r) __attribute__((always_inline)) {
            const v z = as_f32(as_s32(normalized(x, r)) & parts);
            return gradient_of<Isa>(d * scale_of_column, z, inverse[r], of_d[r], of_dz[r]);
        };
        dim_t i = 0;
        for (; i + pair::size <= columns; i += pair::size) {
            const pair s = pair::load(scale + i);
#pragma GCC unroll 4
            for (int r = 0; r < R; ++r) {
                const pair x = pair::load(src[r] + i), d = pair::load(diff[r] + i);
                pair {{result(x.x[0], d.x[0], s.x[0], r), result(x.x[1], d.x[1], s.x[1], r)}}.store(
                    dst[r] + i);
            }
        }
        for (; i < columns; i += v::size) {
            const dim_t n = smaller(columns - i, v::size);
            const v s = load_up_to<Isa>(scale + i, n);
#pragma GCC unroll 4
            for (int r = 0; r < R; ++r)
                store_up_to(dst[r] + i,
                    result(load_up_to<Isa>(src[r] + i, n), load_up_to<Isa>(diff[r] + i, n), s, r),
                    n);
        }
    }
};

template <class Isa, class T, int R>
DNNL_INLINE void some_rows(const gradient_rows_args &a, dim_t row) {
    using v = vec<f32, Isa>;
    some_gradients<Isa, T, R> rows;
    rows.columns = a.columns;
    rows.scale = a.scale;
    for (int r = 0; r < R; ++r) {
        rows.src[r] = static_cast<const T *>(a.src) + (row + r) * a.src_stride;
        rows.diff[r] = static_cast<const T *>(a.diff) + (row + r) * a.diff_stride;
        rows.dst[r] = static_cast<T *>(a.dst) + (row + r) * a.dst_stride;
        rows.mean[r] = v::set(a.mean ? a.mean[row + r] : 0.0f);
        rows.inverse[r] = v::set(
            static_cast<f32>(1.0 / __builtin_sqrt(double {a.variance[row + r]} + a.epsilon)));
    }
    f32 totals[2][R] {};
    if (a.sums || !a.given) rows.sum(totals, a.sums, a.products);
    const f32 size = static_cast<f32>(a.columns);
    for (int r = 0; r < R; ++r) {
        totals[0][r] = a.mean && !a.given ? totals[0][r] / size : 0.0f;
        totals[1][r] = a.given ? 0.0f : totals[1][r] / size;
    }
    rows.store(totals, a.given);
}

} // namespace

template <class Isa, class T> void gradient_rows(const gradient_rows_args &a) {
    constexpr int most = vec<f32, Isa>::size == 16 ? 4 : 2; // whose sums fit into registers
    constexpr dim_t short_row = 8192; // src and diff of 4 rows: 256 KiB of f32, kept by L2
    dim_t row = 0;
    for (; a.columns <= short_row && row + most <= a.rows; row += most)
        some_rows<Isa, T, most>(a, row);
    for (; row < a.rows; ++row) some_rows<Isa, T, 1>(a, row);
}

#if !defined(__AVX512BF16__) // this level rounds bf16 only
template void gradient_rows<this_isa, f32>(const gradient_rows_args &);
#endif
template void gradient_rows<this_isa, bf16>(const gradient_rows_args &);

} // namespace dnnl::impl::cpu
