// SPDX-License-Identifier: Apache-2.0
// Products of bytes where no instruction multiplies them exactly: rows of A and panels of B become
// 16-bit numbers once for all tiles that multiply them (doc/kernels.md).
#pragma once

#include "cpu/kernels/gemm/gemm_block.hpp"
#include "cpu/simd/dot_bytes.hpp"

namespace dnnl::impl::cpu {

template <class Isa, class A> constexpr bool widens = is_byte<A> && !Isa::vnni;
inline constexpr dim_t most_wide_k = 512, most_wide_rows = 64; // at a time: 64 KiB

using block_function = void (*)(const gemm_block_args &);

// Returns n < 16 bytes with zeros after them.
DNNL_INLINE __m128i few_bytes(const char *p, int n) {
    std::uint64_t first = 0, last = 0;
    if (n >= 8) {
        __builtin_memcpy(&first, p, 8);
        __builtin_memcpy(&last, p + n - 8, 8);
        return _mm_set_epi64x(n > 8 ? dim_t(last >> (8 * (16 - n))) : 0, dim_t(first));
    }
    first = std::uint32_t(n < 4 ? bytes_as_word(p, n) : four_bytes(p));
    if (n > 4) last = std::uint64_t(std::uint32_t(four_bytes(p + n - 4))) >> (8 * (8 - n)) << 32;
    return _mm_cvtsi64_si128(dim_t(first | last));
}
/// Stores k bytes of a row of A, and zeros to the next multiple of 16.
template <is_byte A> DNNL_INLINE void store_wide(const char *from, dim_t k, wide_byte *to) {
    constexpr bool is_signed = A(-1) < A(0);
    const __m128i order = _mm_setr_epi8(0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15);
    for (; k > 0; k -= 16, from += 16, to += 16) {
        const __m128i x = k < 16 ? few_bytes(from, static_cast<int>(k))
                                 : _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
        const __m128i y = shuffle_epi8(x, order);
#if defined(__AVX2__)
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(to),
            is_signed ? _mm256_cvtepi8_epi16(y) : _mm256_cvtepu8_epi16(y));
#else
        const auto widen = [](__m128i z) { // eight bytes
            return is_signed ? _mm_cvtepi8_epi16(z) : _mm_cvtepu8_epi16(z);
        };
        _mm_storeu_si128(reinterpret_cast<__m128i *>(to), widen(y));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(to + 8), widen(_mm_unpackhi_epi64(y, y)));
#endif
    }
}

// Multiplies widened rows by panels that it widens for them, one by one.
template <class Isa, class B>
void multiply_panels(const gemm_block_args &g, block_function multiply) {
    using D = dot<Isa, s8, B>;
    constexpr dim_t columns = D::panel_columns, k_group = D::k_group, row = columns * k_group;
    alignas(64) wide_byte panel[most_wide_k * columns];
    gemm_block_args part = g;
    part.b = panel;
    part.b_offset_bytes = nullptr;
    part.b_step_bytes = g.k * columns * dim_t(sizeof(wide_byte));
    for (dim_t column = 0; column < g.n; column += part.n) {
        part.n = smaller(g.n - column, columns);
        wide_byte *to = panel;
        for (int product = 0; product < g.batch; ++product) {
            const char *from = static_cast<const char *>(g.b) + column / columns * g.b_panel_bytes;
            from += product_b(g, product);
            for (dim_t k = 0; k < g.k; k += k_group, from += row, to += row)
                for (dim_t j = 0; j < part.n; j += D::acc::size) {
                    const auto [even, odd] = D::load_b(from + k_group * j);
                    even.store(reinterpret_cast<s32 *>(to) + j);
                    odd.store(reinterpret_cast<s32 *>(to) + columns + j);
                }
        }
        part.c = moved(static_cast<char *>(g.c), column * dim_t(sizeof(s32)));
        if (g.finish) part.dst = element_at(static_cast<char *>(g.dst), g.finish->dst_type, column);
        part.position[column_dim] = g.position[column_dim] + column;
        multiply(part);
    }
}

/// A block of A x B by tiles of mr rows. multiply_few takes widened rows and B as it is,
/// multiply_many both widened, which pays for four tiles or more.
template <class Isa, class A, class B>
void multiply_widened(
    const gemm_block_args &g, dim_t mr, block_function multiply_few, block_function multiply_many) {
    alignas(64) wide_byte wide[most_wide_k * most_wide_rows + 16]; // see store_wide
    const void *const a = wide;
    gemm_block_args part = g;
    part.a = &a;
    part.a_rows = nullptr;
    part.batch = g.k > 0 ? g.batch : 0;
    part.k = (g.k + 3) / 4 * 4;
    part.lda_bytes = part.k * dim_t(sizeof(wide_byte));
    const dim_t of_row = part.batch * part.k, most = most_wide_k * most_wide_rows / mr;
    const dim_t rows = of_row ? most / of_row * mr : g.m;
    for (dim_t row = 0; row < g.m; row += part.m) {
        part.m = smaller(rows, g.m - row);
        part.a_step_bytes = part.m * part.lda_bytes;
        for (int b = 0; b < part.batch; ++b)
            for (dim_t i = 0; i < part.m; ++i)
                store_wide<A>(product_row(g, b, row + i), g.k, wide + (b * part.m + i) * part.k);
        if (part.m < 4 * mr)
            multiply_few(part);
        else
            multiply_panels<Isa, B>(part, multiply_many);
        part.c = moved(static_cast<char *>(part.c), part.m * g.ldc_bytes);
        part.dst = moved(static_cast<char *>(part.dst), part.m * g.ldd_bytes);
        part.position[row_dim] += part.m;
    }
}

} // namespace dnnl::impl::cpu
