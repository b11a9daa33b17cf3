// SPDX-License-Identifier: Apache-2.0
// Loads and stores that convert between f32 vectors and the element types of memory.
//
//   load_as_f32<Isa>(p, n)  one vector from f32 bf16 f16 s32 s8 u8 memory; f8 f4 e8m0 s4 u4 as
//   codes,
//                           one per byte
//   load_as_s32<Isa>(p, n)  from s32 s8 u8 s4 u4
//   store_as(p, x, n)       an f32 vector, converted to the element type of p; an s32 vector to
//   s32,
//                           or saturated to s8, u8, s4 and u4
//
// n is a number of lanes, 0 <= n <= size: the others do not touch memory and load as zero. Without
// n all lanes do.
//
// Rounding is to nearest even. Integers saturate and NaN becomes 0. bf16 and f16 keep subnormal
// values, infinities and the sign of zero; a NaN stays a quiet NaN. Codes: convert_codes.hpp.
#pragma once

#include "cpu/simd/convert_codes.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

// The bits of bf16(x) in the low half of each lane; the high half is zero. The hardware
// instruction for this flushes subnormal values, so the arithmetic is done on integers.
template <class Isa> DNNL_INLINE vec<s32, Isa> bf16_bits(vec<f32, Isa> x) {
    using i32 = vec<s32, Isa>;
    const i32 bits = as_s32(x);
    const i32 low_bit = shift_right<16>(bits) & i32::set(1);
    const i32 rounded = shift_right<16>(bits + i32::set(0x7fff) + low_bit);
    const i32 quiet = shift_right<16>(bits) | i32::set(0x40);
    return select(is_nan(x), quiet, rounded);
}

// ---- Memory of 8-bit and 16-bit lanes: whole vectors and the first n lanes ----

template <class Isa, int Bytes = Isa::vector_bytes> struct narrow;

template <class Isa> struct narrow<Isa, 32> {
    static constexpr int size = 8;

    template <class T> DNNL_INLINE static __m128i load(const T *p, all_lanes) {
        const auto *from = reinterpret_cast<const __m128i *>(p);
        return sizeof(T) == 2 ? _mm_loadu_si128(from) : _mm_loadl_epi64(from);
    }
    template <class T> DNNL_INLINE static void store(T *p, __m128i x, all_lanes) {
        auto *to = reinterpret_cast<__m128i *>(p);
        sizeof(T) == 2 ? _mm_storeu_si128(to, x) : _mm_storel_epi64(to, x);
    }
    // A partial vector goes through 16 bytes on the stack: AVX2 has no masks for short lanes.
    template <class T> DNNL_INLINE static __m128i load(const T *p, dim_t n) {
        alignas(16) T lanes[16 / sizeof(T)] = {};
        for (dim_t i = 0; i < n; ++i) lanes[i] = p[i];
        return _mm_load_si128(reinterpret_cast<const __m128i *>(lanes));
    }
    template <class T> DNNL_INLINE static void store(T *p, __m128i x, dim_t n) {
        alignas(16) T lanes[16 / sizeof(T)];
        _mm_store_si128(reinterpret_cast<__m128i *>(lanes), x);
        for (dim_t i = 0; i < n; ++i) p[i] = lanes[i];
    }
    // Lanes hold 0 ... 65535.
    DNNL_INLINE static __m128i pack16(vec<s32, Isa> x) {
        return _mm_packus_epi32(_mm256_castsi256_si128(x.v), _mm256_extracti128_si256(x.v, 1));
    }
    DNNL_INLINE static __m128i pack_s8(vec<s32, Isa> x) {
        const __m128i words =
            _mm_packs_epi32(_mm256_castsi256_si128(x.v), _mm256_extracti128_si256(x.v, 1));
        return _mm_packs_epi16(words, words);
    }
    DNNL_INLINE static __m128i pack_u8(vec<s32, Isa> x) {
        const __m128i words =
            _mm_packs_epi32(_mm256_castsi256_si128(x.v), _mm256_extracti128_si256(x.v, 1));
        return _mm_packus_epi16(words, words);
    }
    // Lanes hold 0 ... 255.
    DNNL_INLINE static __m128i pack_u8_range(vec<s32, Isa> x) { return pack_u8(x); }
    DNNL_INLINE static vec<s32, Isa> widen_u16(__m128i x) { return {_mm256_cvtepu16_epi32(x)}; }
    DNNL_INLINE static vec<s32, Isa> widen_s8(__m128i x) { return {_mm256_cvtepi8_epi32(x)}; }
    DNNL_INLINE static vec<s32, Isa> widen_u8(__m128i x) { return {_mm256_cvtepu8_epi32(x)}; }
    DNNL_INLINE static vec<f32, Isa> widen_f16(__m128i x) { return {_mm256_cvtph_ps(x)}; }
    DNNL_INLINE static __m128i to_f16(vec<f32, Isa> x) {
        return _mm256_cvtps_ph(x.v, _MM_FROUND_TO_NEAREST_INT);
    }
};

#if defined(__AVX512F__)
template <class Isa> struct narrow<Isa, 64> {
    static constexpr int size = 16;

    template <class T> DNNL_INLINE static auto load(const T *p, all_lanes) {
        if constexpr (sizeof(T) == 2)
            return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
        else
            return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
    }
    template <class T> DNNL_INLINE static auto load(const T *p, dim_t n) {
        if constexpr (sizeof(T) == 2)
            return _mm256_maskz_loadu_epi16(mask<Isa>::first(n).v, p);
        else
            return _mm_maskz_loadu_epi8(mask<Isa>::first(n).v, p);
    }
    DNNL_INLINE static void store(void *p, __m256i x, all_lanes) {
        _mm256_storeu_si256(static_cast<__m256i *>(p), x);
    }
    DNNL_INLINE static void store(void *p, __m128i x, all_lanes) {
        _mm_storeu_si128(static_cast<__m128i *>(p), x);
    }
    DNNL_INLINE static void store(void *p, __m256i x, dim_t n) {
        _mm256_mask_storeu_epi16(p, mask<Isa>::first(n).v, x);
    }
    DNNL_INLINE static void store(void *p, __m128i x, dim_t n) {
        _mm_mask_storeu_epi8(p, mask<Isa>::first(n).v, x);
    }
    DNNL_INLINE static __m256i pack16(vec<s32, Isa> x) { return _mm512_cvtepi32_epi16(x.v); }
    DNNL_INLINE static __m128i pack_s8(vec<s32, Isa> x) { return _mm512_cvtsepi32_epi8(x.v); }
    DNNL_INLINE static __m128i pack_u8(vec<s32, Isa> x) {
        return _mm512_cvtusepi32_epi8(_mm512_max_epi32(x.v, _mm512_setzero_si512()));
    }
    DNNL_INLINE static __m128i pack_u8_range(vec<s32, Isa> x) { return _mm512_cvtepi32_epi8(x.v); }
    DNNL_INLINE static vec<s32, Isa> widen_u16(__m256i x) { return {_mm512_cvtepu16_epi32(x)}; }
    DNNL_INLINE static vec<s32, Isa> widen_s8(__m128i x) { return {_mm512_cvtepi8_epi32(x)}; }
    DNNL_INLINE static vec<s32, Isa> widen_u8(__m128i x) { return {_mm512_cvtepu8_epi32(x)}; }
    DNNL_INLINE static vec<f32, Isa> widen_f16(__m256i x) { return {_mm512_cvtph_ps(x)}; }
    DNNL_INLINE static __m256i to_f16(vec<f32, Isa> x) {
        return _mm512_cvtps_ph(x.v, _MM_FROUND_TO_NEAREST_INT);
    }
};
#endif

// ---- Integers ----

template <class Isa, class Lanes = all_lanes>
DNNL_INLINE vec<s32, Isa> load_as_s32(const s32 *p, Lanes n = {}) {
    return vec<s32, Isa>::load(p, n);
}
template <class Isa, class Lanes = all_lanes>
DNNL_INLINE vec<s32, Isa> load_as_s32(const s8 *p, Lanes n = {}) {
    return narrow<Isa>::widen_s8(narrow<Isa>::load(p, n));
}
template <class Isa, class Lanes = all_lanes>
DNNL_INLINE vec<s32, Isa> load_as_s32(const u8 *p, Lanes n = {}) {
    return narrow<Isa>::widen_u8(narrow<Isa>::load(p, n));
}
template <class Isa, int B, class Lanes = all_lanes>
DNNL_INLINE void store_as(s32 *p, vec<s32, Isa, B> x, Lanes n = {}) {
    x.store(p, n);
}
template <class Isa, int B, class Lanes = all_lanes>
DNNL_INLINE void store_as(s8 *p, vec<s32, Isa, B> x, Lanes n = {}) {
    narrow<Isa>::store(p, narrow<Isa>::pack_s8(x), n);
}
template <class Isa, int B, class Lanes = all_lanes>
DNNL_INLINE void store_as(u8 *p, vec<s32, Isa, B> x, Lanes n = {}) {
    narrow<Isa>::store(p, narrow<Isa>::pack_u8(x), n);
}

// ---- f32 from and to every element type ----

template <class Isa, class Lanes = all_lanes>
DNNL_INLINE vec<f32, Isa> load_as_f32(const f32 *p, Lanes n = {}) {
    return vec<f32, Isa>::load(p, n);
}
template <class Isa, class Lanes = all_lanes>
DNNL_INLINE vec<f32, Isa> load_as_f32(const bf16 *p, Lanes n = {}) {
    return as_f32(shift_left<16>(narrow<Isa>::widen_u16(narrow<Isa>::load(p, n))));
}
template <class Isa, class Lanes = all_lanes>
DNNL_INLINE vec<f32, Isa> load_as_f32(const f16 *p, Lanes n = {}) {
    return narrow<Isa>::widen_f16(narrow<Isa>::load(p, n));
}
/// From s32, s8 and u8.
template <class Isa, class T, class Lanes = all_lanes>
DNNL_INLINE vec<f32, Isa> load_as_f32(const T *p, Lanes n = {}) {
    return to_f32(load_as_s32<Isa>(p, n));
}

template <class Isa, int B, class Lanes = all_lanes>
DNNL_INLINE void store_as(f32 *p, vec<f32, Isa, B> x, Lanes n = {}) {
    x.store(p, n);
}
template <class Isa, int B, class Lanes = all_lanes>
DNNL_INLINE void store_as(bf16 *p, vec<f32, Isa, B> x, Lanes n = {}) {
    narrow<Isa>::store(p, narrow<Isa>::pack16(bf16_bits<Isa>(x)), n);
}
template <class Isa, int B, class Lanes = all_lanes>
DNNL_INLINE void store_as(f16 *p, vec<f32, Isa, B> x, Lanes n = {}) {
    narrow<Isa>::store(p, narrow<Isa>::to_f16(x), n);
}
template <class Isa, int B, class Lanes = all_lanes>
DNNL_INLINE void store_as(s32 *p, vec<f32, Isa, B> x, Lanes n = {}) {
    to_s32_saturate(x).store(p, n);
}
template <class Isa, int B, class Lanes = all_lanes>
DNNL_INLINE void store_as(s8 *p, vec<f32, Isa, B> x, Lanes n = {}) {
    store_as(p, to_s32_clamped<Isa>(x, -128.0f, 127.0f), n);
}
// NaN becomes 0 on its way through max().
template <class Isa> DNNL_INLINE vec<s32, Isa> to_u8_range(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    return to_s32_round(min(max(x, v::zero()), v::set(255.0f)));
}
template <class Isa, int B, class Lanes = all_lanes>
DNNL_INLINE void store_as(u8 *p, vec<f32, Isa, B> x, Lanes n = {}) {
    narrow<Isa>::store(p, narrow<Isa>::pack_u8_range(to_u8_range<Isa>(x)), n);
}

// ---- Codes ----

template <class Isa, data_type T, class Lanes = all_lanes>
DNNL_INLINE vec<s32, Isa> load_as_s32(const code<T> *p, Lanes n = {}) {
    return code_to_s32<Isa, T>(load_as_s32<Isa>(reinterpret_cast<const u8 *>(p), n));
}
template <class Isa, data_type T, class Lanes = all_lanes>
DNNL_INLINE vec<f32, Isa> load_as_f32(const code<T> *p, Lanes n = {}) {
    const vec<f32, Isa> x =
        code_to_f32<Isa, T>(load_as_s32<Isa>(reinterpret_cast<const u8 *>(p), n));
    if constexpr (T == data_type::e8m0 &&
                  !__is_same(Lanes, all_lanes)) // code 0 is not the number 0
        return select(mask<Isa>::first(n), x, vec<f32, Isa>::zero());
    else
        return x;
}
template <class Isa, int B, data_type T, class Lanes = all_lanes>
DNNL_INLINE void store_as(code<T> *p, vec<f32, Isa, B> x, Lanes n = {}) {
    const auto bytes = narrow<Isa>::pack_u8_range(f32_to_code<Isa, T>(x));
    narrow<Isa>::store(reinterpret_cast<u8 *>(p), bytes, n);
}
template <class Isa, int B, data_type T, class Lanes = all_lanes>
DNNL_INLINE void store_as(code<T> *p, vec<s32, Isa, B> x, Lanes n = {}) {
    const auto bytes = narrow<Isa>::pack_u8_range(s32_to_code<Isa, T>(x));
    narrow<Isa>::store(reinterpret_cast<u8 *>(p), bytes, n);
}

} // namespace dnnl::impl::cpu
