// SPDX-License-Identifier: Apache-2.0
// Vectors of bytes widened to 16 bits, in which their sums, differences and products are exact.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

#if defined(__AVX512BW__)
template <class T> DNNL_INLINE __m512i words_of_bytes(const T *p, __m512i) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
    return __is_same(T, u8) ? _mm512_cvtepu8_epi16(x) : _mm512_cvtepi8_epi16(x);
}
template <class T> DNNL_INLINE void store_words(T *p, __m512i x) {
    const __m512i low = _mm512_max_epi16(x, _mm512_setzero_si512());
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p),
        __is_same(T, u8) ? _mm512_cvtusepi16_epi8(low) : _mm512_cvtsepi16_epi8(x));
}
#endif
#if defined(__AVX2__)
template <class T> DNNL_INLINE __m256i words_of_bytes(const T *p, __m256i) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
    return __is_same(T, u8) ? _mm256_cvtepu8_epi16(x) : _mm256_cvtepi8_epi16(x);
}
template <class T> DNNL_INLINE void store_words(T *p, __m256i x) {
    const __m256i both = __is_same(T, u8) ? packus_epi16(x, x) : packs_epi16(x, x);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(p), half(_mm256_permute4x64_epi64(both, 0x08), 0));
}
#endif
template <class T> DNNL_INLINE __m128i words_of_bytes(const T *p, __m128i) {
    const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(p));
    return __is_same(T, u8) ? _mm_cvtepu8_epi16(x) : _mm_cvtepi8_epi16(x);
}
template <class T> DNNL_INLINE void store_words(T *p, __m128i x) {
    _mm_storel_epi64(
        reinterpret_cast<__m128i *>(p), __is_same(T, u8) ? packus_epi16(x, x) : packs_epi16(x, x));
}

/// load(p) widens `size` bytes, with their sign if they have one; store(p) saturates to p's type.
template <class Isa> struct words {
    static constexpr int bytes = Isa::vector_bytes;
    static constexpr dim_t size = bytes / 2;
    typename registers<bytes>::integers v;
    DNNL_INLINE static words set(int x) {
        return {registers<bytes>::set(static_cast<s32>((x & 0xffffu) * 0x10001u))};
    }
    template <is_byte T> DNNL_INLINE static words load(const T *p) {
        return {words_of_bytes(p, words {}.v)};
    }
    template <is_byte T> DNNL_INLINE void store(T *p) const { store_words(p, v); }
    DNNL_INLINE friend words operator+(words a, words b) { return {add_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words operator-(words a, words b) { return {sub_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words operator*(words a, words b) { return {mullo_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words max(words a, words b) { return {max_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words min(words a, words b) { return {min_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words min_unsigned(words a, words b) { return {min_epu16(a.v, b.v)}; }
};

} // namespace dnnl::impl::cpu
