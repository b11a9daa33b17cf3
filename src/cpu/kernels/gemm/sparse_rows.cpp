// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/dot_rows.hpp"

#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {
namespace {

// The number of products of bytes that add up exactly in f32: 256 * 255 * 255 < 2^24.
constexpr dim_t exact_products = 256;

// The sums of one row in NV vectors of columns.
template <class Isa, int NV> struct row_sums {
    vec<f32, Isa> of_floats[NV];
    vec<s32, Isa> of_integers[NV];
};

// Stores the sums from column `column` of row r on; `left` columns are there.
template <class Isa, int NV>
DNNL_INLINE void store_sums(
    const sparse_rows_args &g, dim_t r, dim_t column, dim_t left, const row_sums<Isa, NV> &sums) {
    constexpr dim_t size = vec<f32, Isa>::size;
    void *row = static_cast<char *>(g.c) + r * g.ldc_bytes;
    const auto store = [&]<class T>(T, const auto &x) __attribute__((always_inline)) {
        T *to = static_cast<T *>(row) + column;
#pragma GCC unroll 8
        for (int j = 0; j < NV; ++j) store_up_to(to + j * size, x[j], left - j * size);
    };
    if (g.c_type == data_type::s32) return store(s32 {}, sums.of_integers);
    if (g.c_type == data_type::bf16) return store(bf16 {}, sums.of_floats);
    if (g.c_type == data_type::f16) return store(f16 {}, sums.of_floats);
    store(f32 {}, sums.of_floats);
}

// Computes all rows of NV vectors of columns; the last one is partial only where NV is 1.
template <class Isa, class B, int NV>
void add_up_rows(const sparse_rows_args &g, dim_t column, dim_t left) {
    using v = vec<f32, Isa>;
    const char *b = static_cast<const char *>(g.b) + column * dim_t {sizeof(B)};
    for (dim_t r = 0; r < g.rows; ++r) {
        row_sums<Isa, NV> sums {};
        dim_t e = g.begins[r];
        const dim_t end = g.begins[r + 1];
        while (e < end) {
            v c[NV] {};
            const dim_t stop = g.integers ? smaller(end, e + exact_products) : end;
            for (; e < stop; ++e) {
                const B *row = reinterpret_cast<const B *>(b + g.indices[e] * g.ldb_bytes);
                const v a = v::set(g.values[e]);
                if constexpr (NV == 1) {
                    c[0] = fma(a, load_up_to<Isa>(row, left), c[0]);
                } else {
#pragma GCC unroll 8
                    for (int j = 0; j < NV; ++j)
                        c[j] = fma(a, load_as_f32<Isa>(row + j * v::size), c[j]);
                }
            }
#pragma GCC unroll 8
            for (int j = 0; j < NV; ++j) {
                sums.of_floats[j] = c[j];
                if (!g.integers) continue;
                sums.of_integers[j] = sums.of_integers[j] + to_s32_round(c[j]);
                sums.of_floats[j] = to_f32(sums.of_integers[j]);
            }
        }
        store_sums<Isa, NV>(g, r, column, left, sums);
    }
}

} // namespace

template <class Isa, class B> void sparse_rows(const sparse_rows_args &g) {
    constexpr dim_t size = vec<f32, Isa>::size;
    dim_t column = 0;
    const auto left = [&] { return g.columns - column; };
    for (; left() >= 8 * size; column += 8 * size) add_up_rows<Isa, B, 8>(g, column, left());
    if (left() >= 4 * size) {
        add_up_rows<Isa, B, 4>(g, column, left());
        column += 4 * size;
    }
    if (left() >= 2 * size) {
        add_up_rows<Isa, B, 2>(g, column, left());
        column += 2 * size;
    }
    for (; left() > 0; column += size) add_up_rows<Isa, B, 1>(g, column, left());
}

template <class Isa> void sparse_scatter(const sparse_scatter_args &g) {
    using v = vec<f32, Isa>;
    dim_t e = g.begins[0];
    for (dim_t k = 0; k < g.rows; ++k) {
        const dim_t end = g.begins[k + 1];
        if (g.width == 1) {
            for (; e < end; ++e) {
                f32 &c = g.c[g.indices[e]];
                c = __builtin_fmaf(g.values[e], g.a[k], c);
            }
            continue;
        }
        const v a = v::load(g.a + k * v::size);
        for (; e < end; ++e) {
            f32 *c = g.c + dim_t {g.indices[e]} * v::size;
            fma(v::set(g.values[e]), a, v::load(c)).store(c);
        }
    }
}

template void sparse_scatter<this_isa>(const sparse_scatter_args &);
template void sparse_rows<this_isa, f32>(const sparse_rows_args &);
template void sparse_rows<this_isa, bf16>(const sparse_rows_args &);
template void sparse_rows<this_isa, f16>(const sparse_rows_args &);
template void sparse_rows<this_isa, s8>(const sparse_rows_args &);
template void sparse_rows<this_isa, u8>(const sparse_rows_args &);

} // namespace dnnl::impl::cpu
