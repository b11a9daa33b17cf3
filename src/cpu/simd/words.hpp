// SPDX-License-Identifier: Apache-2.0
// Vectors of bytes widened to 16 bits, in which their sums, differences and products are exact.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

/// load(p) widens `size` bytes, with their sign if they have one; store(p) saturates to p's type.
template <class Isa, int Bytes = Isa::vector_bytes> struct words;

template <class Isa> struct words<Isa, 32> {
    static constexpr dim_t size = 16;
    __m256i v;
    DNNL_INLINE static words set(int x) { return {_mm256_set1_epi16(static_cast<short>(x))}; }
    DNNL_INLINE static words load(const u8 *p) {
        return {_mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)))};
    }
    DNNL_INLINE static words load(const s8 *p) {
        return {_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)))};
    }
    DNNL_INLINE void store(u8 *p) const { store_low(p, _mm256_packus_epi16(v, v)); }
    DNNL_INLINE void store(s8 *p) const { store_low(p, _mm256_packs_epi16(v, v)); }
    DNNL_INLINE friend words operator+(words a, words b) { return {_mm256_add_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words operator-(words a, words b) { return {_mm256_sub_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words operator*(words a, words b) { return {_mm256_mullo_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words max(words a, words b) { return {_mm256_max_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words min(words a, words b) { return {_mm256_min_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words min_unsigned(words a, words b) { return {_mm256_min_epu16(a.v, b.v)}; }

  private:
    DNNL_INLINE static void store_low(void *p, __m256i both) {
        _mm_storeu_si128(static_cast<__m128i *>(p),
            _mm256_castsi256_si128(_mm256_permute4x64_epi64(both, 0x08)));
    }
};

#if defined(__AVX512BW__)
template <class Isa> struct words<Isa, 64> {
    static constexpr dim_t size = 32;
    __m512i v;
    DNNL_INLINE static words set(int x) { return {_mm512_set1_epi16(static_cast<short>(x))}; }
    DNNL_INLINE static words load(const u8 *p) {
        return {_mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)))};
    }
    DNNL_INLINE static words load(const s8 *p) {
        return {_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)))};
    }
    DNNL_INLINE void store(u8 *p) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(p),
            _mm512_cvtusepi16_epi8(_mm512_max_epi16(v, _mm512_setzero_si512())));
    }
    DNNL_INLINE void store(s8 *p) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(p), _mm512_cvtsepi16_epi8(v));
    }
    DNNL_INLINE friend words operator+(words a, words b) { return {_mm512_add_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words operator-(words a, words b) { return {_mm512_sub_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words operator*(words a, words b) { return {_mm512_mullo_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words max(words a, words b) { return {_mm512_max_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words min(words a, words b) { return {_mm512_min_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words min_unsigned(words a, words b) { return {_mm512_min_epu16(a.v, b.v)}; }
};
#endif

} // namespace dnnl::impl::cpu
