// SPDX-License-Identifier: Apache-2.0
// Bytes of four rows, interleaved for products in groups of four.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

// Turns four vectors of bytes, one per row, into four vectors whose lane c holds channel c of the
// four rows. Loads exchange the 32-bit parts, so that interleaving within 128 bits leaves the
// channels in their order.
#if defined(__AVX2__)
DNNL_INLINE __m256i channels_in_order(const char *p, dim_t n, __m256i) {
    __m256i bytes;
    if (n >= 32) {
        bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
    } else {
        alignas(32) char copy[32] = {};
        for (dim_t i = 0; i < n; ++i) copy[i] = p[i];
        bytes = _mm256_load_si256(reinterpret_cast<const __m256i *>(copy));
    }
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
}
#endif
#if defined(__AVX512BW__)
DNNL_INLINE __m512i channels_in_order(const char *p, dim_t n, __m512i) {
    const __mmask64 wanted = n >= 64 ? ~__mmask64 {0} : (__mmask64 {1} << n) - 1;
    const __m512i bytes = n >= 64 ? _mm512_loadu_si512(p) : _mm512_maskz_loadu_epi8(wanted, p);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, bytes);
}
#endif

template <class Isa> struct byte_rows {
    using lanes = vec<s32, Isa>;
    using reg = typename lanes::reg;
    reg x[4];

    DNNL_INLINE static reg load(const char *p, dim_t n) { return channels_in_order(p, n, reg {}); }
    DNNL_INLINE void interleave(lanes (&out)[4]) const {
        const reg low01 = unpacklo_epi8(x[0], x[1]), high01 = unpackhi_epi8(x[0], x[1]);
        const reg low23 = unpacklo_epi8(x[2], x[3]), high23 = unpackhi_epi8(x[2], x[3]);
        out[0].v = unpacklo_epi16(low01, low23);
        out[1].v = unpackhi_epi16(low01, low23);
        out[2].v = unpacklo_epi16(high01, high23);
        out[3].v = unpackhi_epi16(high01, high23);
    }
};

} // namespace dnnl::impl::cpu
