// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/dot_rows.hpp"
#include "cpu/kernels/gemm/pack.hpp"
#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {
namespace {

// Adds the products of R elements of each of MR rows, from k on, to c; sums begin with k 0.
template <class Isa, class T, int MR, int R> void add_products(const dot_rows_args &g, dim_t k) {
    using v = vec<f32, Isa>;
    v a[MR][R];
#pragma GCC unroll 4
    for (int i = 0; i < MR; ++i) {
        const char *row = static_cast<const char *>(g.a) + i * g.lda_bytes;
        alignas(64) f32 values[v::size];
        load_as_f32<Isa>(reinterpret_cast<const T *>(row) + k, dim_t {R}).store(values);
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) a[i][r] = v::set(values[r]);
    }
    const char *first = static_cast<const char *>(g.b) + k * g.ldb_bytes;
    // A cache line of each row of B at once, as far as registers hold the sums: c[i * NV + p].
    constexpr int line = 64 / (v::size * int {sizeof(T)}), NV = MR > 1 && line > 2 ? 2 : line;
    for (dim_t j = 0; j < g.n; j += NV * v::size) {
        const auto left = [&](int p) __attribute__((always_inline)) {
            return g.n - j > p * v::size ? g.n - j - p * v::size : 0;
        };
        const auto at = [&](int x) __attribute__((always_inline)) {
            char *row = static_cast<char *>(g.c) + x / NV * g.ldc_bytes;
            return reinterpret_cast<f32 *>(row) + j + x % NV * v::size;
        };
        v c[MR * NV];
#pragma GCC unroll 8
        for (int x = 0; x < MR * NV; ++x)
            c[x] = k > 0 ? load_up_to<Isa>(at(x), left(x % NV)) : v::zero();
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) {
            const T *row = reinterpret_cast<const T *>(first + r * g.ldb_bytes) + j;
            ask_for(reinterpret_cast<const char *>(row) + R * g.ldb_bytes);
#pragma GCC unroll 4
            for (int p = 0; p < NV; ++p) {
                const v b = load_up_to<Isa>(row + p * v::size, left(p));
#pragma GCC unroll 4
                for (int i = 0; i < MR; ++i) c[i * NV + p] = fma(a[i][r], b, c[i * NV + p]);
            }
        }
#pragma GCC unroll 8
        for (int x = 0; x < MR * NV; ++x) store_up_to(at(x), c[x], left(x % NV));
    }
}

// Reads eight rows of B at once: as many streams as bring the most out of memory.
template <class Isa, class T, int MR> void all_products(const dot_rows_args &g) {
    constexpr int R = 8;
    dim_t k = 0;
    for (; k + R <= g.k; k += R) add_products<Isa, T, MR, R>(g, k);
    for (; k < g.k; ++k) add_products<Isa, T, MR, 1>(g, k);
}

} // namespace

template <class Isa, class T> void stream_rows(const dot_rows_args &g) {
    switch (g.m) {
    case 1: return all_products<Isa, T, 1>(g);
    case 2: return all_products<Isa, T, 2>(g);
    case 3: return all_products<Isa, T, 3>(g);
    default: return all_products<Isa, T, 4>(g);
    }
}

template void stream_rows<this_isa, f32>(const dot_rows_args &);
template void stream_rows<this_isa, bf16>(const dot_rows_args &);
template void stream_rows<this_isa, f16>(const dot_rows_args &);

} // namespace dnnl::impl::cpu
