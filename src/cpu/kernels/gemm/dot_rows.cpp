// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/dot_rows.hpp"

#include "cpu/simd/dot_bytes.hpp"

namespace dnnl::impl::cpu {
namespace {

// Loads a vector of k groups of one row of A, as load_b() of dot.hpp does for B.
template <class Isa, class A, class B> DNNL_INLINE auto load_row(const void *p) {
    using D = dot<Isa, A, B>;
    if constexpr (!is_byte<A>) {
        return D::load_b(p);
    } else {
        const auto a = D::acc::load(static_cast<const s32 *>(p));
        if constexpr (!Isa::vnni)
            return widen_bytes<Isa>(a, A {});
        else
            return D::shifts_a ? D::flip_signs(a) : a;
    }
}

// Copies the end of a row, less than a vector, and fills the vector with zeros.
template <class Isa> DNNL_INLINE void copy_end(char *to, const char *from, dim_t n) {
#if defined(__AVX512BW__)
    const __mmask64 there = (std::uint64_t {1} << n) - 1;
    _mm512_store_si512(to, _mm512_maskz_loadu_epi8(there, from));
#else
    vec<s32, Isa>::zero().store(reinterpret_cast<s32 *>(to));
    __builtin_memcpy(to, from, std::size_t(n));
#endif
}

// Computes MR rows by NR columns: 8 sums, which hide the latency of an instruction.
template <class Isa, class A, class B, int MR, int NR>
void dot_tile(const dot_rows_args &g, dim_t row, dim_t column) {
    using D = dot<Isa, A, B>;
    using acc = typename D::acc;
    constexpr dim_t step = Isa::vector_bytes, elements = step / dim_t(sizeof(A));
    const char *a = static_cast<const char *>(g.a) + row * g.lda_bytes;
    const char *b = static_cast<const char *>(g.b) + column * g.ldb_bytes;
    acc c[MR][NR] {}, of_rows[MR] {}, of_columns[NR] {};
    const auto multiply = [&](auto row_at, auto column_at) __attribute__((always_inline)) {
        decltype(D::load_b(b)) columns[NR];
#pragma GCC unroll 4
        for (int j = 0; j < NR; ++j) {
            columns[j] = D::load_b(column_at(j));
            if constexpr (D::shifts_a) // A + 128 adds 128 * B
                of_columns[j] = add_128_times(of_columns[j], columns[j]);
        }
#pragma GCC unroll 8
        for (int i = 0; i < MR; ++i) {
            const auto values = load_row<Isa, A, B>(row_at(i));
            if constexpr (D::shifts_b) // B - 128 leaves out 128 * A
                of_rows[i] = dot_bytes(of_rows[i], values, acc::set(0x01010101));
#pragma GCC unroll 4
            for (int j = 0; j < NR; ++j) c[i][j] = D::step(c[i][j], values, columns[j]);
        }
    };
    dim_t k = 0;
    for (; k + elements <= g.k; k += elements, a += step, b += step)
        multiply(
            [&](int i) __attribute__((always_inline)) {
                if (MR == 8) __builtin_prefetch(a + (i + MR) * g.lda_bytes); // the next tile's
                return a + i * g.lda_bytes;
            },
            [&](int j) __attribute__((always_inline)) { return b + j * g.ldb_bytes; });
    if (const dim_t left = (g.k - k) * dim_t(sizeof(A))) {
        alignas(64) char rows[MR][Isa::vector_bytes], columns[NR][Isa::vector_bytes];
        for (int i = 0; i < MR; ++i) copy_end<Isa>(rows[i], a + i * g.lda_bytes, left);
        for (int j = 0; j < NR; ++j) copy_end<Isa>(columns[j], b + j * g.ldb_bytes, left);
        multiply(
            [&](int i) __attribute__((always_inline)) { return rows[i]; },
            [&](int j) __attribute__((always_inline)) { return columns[j]; });
    }
#pragma GCC unroll 8
    for (int i = 0; i < MR; ++i) {
        auto *to = reinterpret_cast<decltype(reduce_add(c[0][0])) *>(
                       static_cast<char *>(g.c) + (row + i) * g.ldc_bytes) +
                   column;
#pragma GCC unroll 4
        for (int j = 0; j < NR; ++j) {
            if constexpr (D::shifts_a) c[i][j] = c[i][j] - of_columns[j];
            if constexpr (D::shifts_b) c[i][j] = c[i][j] + shift_left<7>(of_rows[i]);
            to[j] = reduce_add(c[i][j]);
        }
    }
}

// Computes all rows of NR columns.
template <class Isa, class A, class B, int NR>
void dot_columns(const dot_rows_args &g, dim_t column) {
    constexpr int MR = 8 / NR;
    dim_t row = 0;
    for (; row + MR <= g.m; row += MR) dot_tile<Isa, A, B, MR, NR>(g, row, column);
    for (; row < g.m; ++row) dot_tile<Isa, A, B, 1, NR>(g, row, column);
}

} // namespace

template <class Isa, class A, class B> void dot_rows(const dot_rows_args &g) {
    dim_t column = 0;
    for (; column + 4 <= g.n; column += 4) dot_columns<Isa, A, B, 4>(g, column);
    for (; column + 2 <= g.n; column += 2) dot_columns<Isa, A, B, 2>(g, column);
    for (; column < g.n; ++column) dot_columns<Isa, A, B, 1>(g, column);
}

#if defined(__AVX512BF16__) // this level changes bf16 only
template void dot_rows<this_isa, bf16, bf16>(const dot_rows_args &);
#else
#if !defined(__AVXVNNI__) && !defined(__AVX512VNNI__) // these levels change int8 only
template void dot_rows<this_isa, f32, f32>(const dot_rows_args &);
template void dot_rows<this_isa, bf16, bf16>(const dot_rows_args &);
template void dot_rows<this_isa, f16, f16>(const dot_rows_args &);
#endif
template void dot_rows<this_isa, u8, s8>(const dot_rows_args &);
template void dot_rows<this_isa, s8, s8>(const dot_rows_args &);
template void dot_rows<this_isa, u8, u8>(const dot_rows_args &);
template void dot_rows<this_isa, s8, u8>(const dot_rows_args &);
#endif

} // namespace dnnl::impl::cpu
