// SPDX-License-Identifier: Apache-2.0
// Registers of 128, 256 and 512 bits, and instructions that they have in common, under one name for
// all widths: add_epi32(a, b) is _mm_add_epi32, _mm256_add_epi32 or _mm512_add_epi32. A kernel
// source has the widths of the instruction set that it is compiled for. What each width does in its
// own way begins with masks: lanes all of whose bits are set or clear, or a bit for each of 512.
#pragma once

#include "common/plain_types.hpp"

#include <immintrin.h>

namespace dnnl::impl::cpu {

// DNNL_EVERY_WIDTH(macro, ...): the macro for each width, with the prefix of its intrinsics and the
// name of its type of floats.
#if defined(__AVX512F__)
#define DNNL_EVERY_WIDTH(M, ...)                                                                   \
    M(_mm, __m128, __VA_ARGS__)                                                                    \
    M(_mm256, __m256, __VA_ARGS__)                                                                 \
    M(_mm512, __m512, __VA_ARGS__)
#elif defined(__AVX2__)
#define DNNL_EVERY_WIDTH(M, ...) M(_mm, __m128, __VA_ARGS__) M(_mm256, __m256, __VA_ARGS__)
#else
#define DNNL_EVERY_WIDTH(M, ...) M(_mm, __m128, __VA_ARGS__)
#endif

// The same for three names.
#define DNNL_THREE(M, a, b, c) DNNL_EVERY_WIDTH(M, a) DNNL_EVERY_WIDTH(M, b) DNNL_EVERY_WIDTH(M, c)

#if !defined(DNNL_MASKED) // where addresses are checked, accesses with masks are calls
#define DNNL_MASKED DNNL_INLINE
#endif

/// The types of registers of so many bytes, and a number in every lane.
template <int Bytes> struct registers;
#define DNNL_TYPES(P, T, ...)                                                                      \
    template <> struct registers<sizeof(T)> {                                                      \
        using floats = T;                                                                          \
        using integers = T##i;                                                                     \
        typedef T floats_anywhere __attribute__((aligned(1), may_alias));                          \
        typedef T##i integers_anywhere __attribute__((aligned(1), may_alias));                     \
        DNNL_INLINE static floats set(f32 x) { return P##_set1_ps(x); }                            \
        DNNL_INLINE static integers set(s32 x) { return P##_set1_epi32(x); }                       \
    };                                                                                             \
    DNNL_INLINE T to_floats(T##i a) { return P##_cvtepi32_ps(a); }                                 \
    DNNL_INLINE T##i to_integers(T a) { return P##_cvtps_epi32(a); }
DNNL_EVERY_WIDTH(DNNL_TYPES)

#define DNNL_OF_FLOATS(P, T, name)                                                                 \
    DNNL_INLINE T name(T a, T b) { return P##_##name(a, b); }
DNNL_THREE(DNNL_OF_FLOATS, add_ps, sub_ps, mul_ps)
DNNL_THREE(DNNL_OF_FLOATS, div_ps, min_ps, max_ps)
DNNL_THREE(DNNL_OF_FLOATS, and_ps, andnot_ps, or_ps)
DNNL_EVERY_WIDTH(DNNL_OF_FLOATS, xor_ps)
#define DNNL_ROOT(P, T, ...)                                                                       \
    DNNL_INLINE T sqrt_ps(T a) { return P##_sqrt_ps(a); }
DNNL_EVERY_WIDTH(DNNL_ROOT)

#define DNNL_OF_INTEGERS(P, T, name)                                                               \
    DNNL_INLINE T##i name(T##i a, T##i b) { return P##_##name(a, b); }
DNNL_THREE(DNNL_OF_INTEGERS, add_epi32, sub_epi32, mullo_epi32)
DNNL_THREE(DNNL_OF_INTEGERS, min_epi32, max_epi32, mul_epu32)
DNNL_THREE(DNNL_OF_INTEGERS, add_epi16, sub_epi16, mullo_epi16)
DNNL_THREE(DNNL_OF_INTEGERS, madd_epi16, min_epi16, max_epi16)
DNNL_THREE(DNNL_OF_INTEGERS, min_epu16, min_epu8, max_epi8)
DNNL_EVERY_WIDTH(DNNL_OF_INTEGERS, max_epu8)
DNNL_THREE(DNNL_OF_INTEGERS, packs_epi32, packs_epi16, packus_epi32)
DNNL_THREE(DNNL_OF_INTEGERS, packus_epi16, shuffle_epi8, unpacklo_epi8)
DNNL_THREE(DNNL_OF_INTEGERS, unpackhi_epi8, unpacklo_epi16, unpackhi_epi16)

#define DNNL_SHIFT(P, T, name)                                                                     \
    template <int N> DNNL_INLINE T##i name(T##i a) { return P##_##name(a, N); }
DNNL_THREE(DNNL_SHIFT, slli_epi32, srli_epi32, srai_epi32)
DNNL_THREE(DNNL_SHIFT, srli_epi64, srli_epi16, srai_epi16)

// ---- 128 bits, without the instructions of AVX ----

DNNL_INLINE __m128i numbers_in_order(__m128i) { return _mm_setr_epi32(0, 1, 2, 3); }
DNNL_INLINE bool any_bit(__m128i m) { return !_mm_testz_si128(m, m); }
DNNL_INLINE bool all_lanes_of(__m128i m) { return _mm_movemask_ps(_mm_castsi128_ps(m)) == 0xf; }
DNNL_INLINE __m128i equal(__m128i a, __m128i b) { return _mm_cmpeq_epi32(a, b); }
DNNL_INLINE __m128i greater(__m128i a, __m128i b) { return _mm_cmpgt_epi32(a, b); }
DNNL_INLINE __m128i blend(__m128i m, __m128i a, __m128i b) { return _mm_blendv_epi8(b, a, m); }
DNNL_INLINE __m128 blend(__m128i m, __m128 a, __m128 b) {
    return _mm_blendv_ps(b, a, _mm_castsi128_ps(m));
}
template <int Predicate> DNNL_INLINE __m128i compared(__m128 a, __m128 b) {
    constexpr int p = Predicate;
    const __m128 m = p == _CMP_LT_OQ    ? _mm_cmplt_ps(a, b)
                     : p == _CMP_LE_OQ  ? _mm_cmple_ps(a, b)
                     : p == _CMP_GT_OQ  ? _mm_cmpgt_ps(a, b)
                     : p == _CMP_GE_OQ  ? _mm_cmpge_ps(a, b)
                     : p == _CMP_EQ_OQ  ? _mm_cmpeq_ps(a, b)
                     : p == _CMP_NEQ_UQ ? _mm_cmpneq_ps(a, b)
                                        : _mm_cmpunord_ps(a, b);
    return _mm_castps_si128(m);
}
template <int Mode> DNNL_INLINE __m128 rounded(__m128 a) { return _mm_round_ps(a, Mode); }
DNNL_INLINE __m128 gathered(const f32 *p, __m128i i) {
    return _mm_setr_ps(p[_mm_cvtsi128_si32(i)], p[_mm_extract_epi32(i, 1)],
        p[_mm_extract_epi32(i, 2)], p[_mm_extract_epi32(i, 3)]);
}
template <class T> DNNL_INLINE auto load_lanes(const T *p, __m128i m) {
    const int bits = _mm_movemask_ps(_mm_castsi128_ps(m));
    alignas(16) T x[4] = {};
    for (int i = 0; i < 4; ++i)
        if (bits >> i & 1) x[i] = p[i];
    if constexpr (__is_same(T, f32))
        return _mm_load_ps(x);
    else
        return _mm_load_si128(reinterpret_cast<const __m128i *>(x));
}
template <class T, class V> DNNL_INLINE void store_lanes(T *p, __m128i m, V v) {
    const int bits = _mm_movemask_ps(_mm_castsi128_ps(m));
    alignas(16) T x[4];
    __builtin_memcpy(x, &v, sizeof(x));
    for (int i = 0; i < 4; ++i)
        if (bits >> i & 1) p[i] = x[i];
}
DNNL_INLINE __m128i of_each_128_bits(const u8 *p, __m128i) {
    return _mm_load_si128(reinterpret_cast<const __m128i *>(p));
}
DNNL_INLINE __m128i half(__m128i a, int) { return a; } // for packs of vectors of any width
DNNL_INLINE __m128i widened_u16(__m128i x, __m128i) { return _mm_cvtepu16_epi32(x); }
DNNL_INLINE __m128i widened_s8(__m128i x, __m128i) { return _mm_cvtepi8_epi32(x); }
DNNL_INLINE __m128i widened_u8(__m128i x, __m128i) { return _mm_cvtepu8_epi32(x); }
DNNL_INLINE __m128i high_words_over(__m128i low, __m128i high) {
    return _mm_blend_epi16(low, high, 0xaa);
}
DNNL_INLINE __m128 upper_half(__m128 a) { return _mm_movehl_ps(a, a); }
DNNL_INLINE __m128i upper_half(__m128i a) { return _mm_unpackhi_epi64(a, a); }
DNNL_INLINE __m128 second_lane(__m128 a) { return _mm_movehdup_ps(a); }
DNNL_INLINE __m128i second_lane(__m128i a) { return _mm_shuffle_epi32(a, 1); }
DNNL_INLINE f32 first_lane(__m128 a) { return _mm_cvtss_f32(a); }
DNNL_INLINE s32 first_lane(__m128i a) { return _mm_cvtsi128_si32(a); }
#if defined(__FMA__)
DNNL_INLINE __m128 multiply_add(__m128 a, __m128 b, __m128 c) { return _mm_fmadd_ps(a, b, c); }
DNNL_INLINE __m128 subtract_from(__m128 a, __m128 b, __m128 c) { return _mm_fnmadd_ps(a, b, c); }
#else
DNNL_INLINE __m128 multiply_add(__m128 a, __m128 b, __m128 c);
DNNL_INLINE __m128 subtract_from(__m128 a, __m128 b, __m128 c) { return multiply_add(-a, b, c); }
#endif

// ---- 256 bits ----

#if defined(__AVX2__)
DNNL_INLINE __m256i numbers_in_order(__m256i) { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
DNNL_INLINE bool any_bit(__m256i m) { return !_mm256_testz_si256(m, m); }
DNNL_INLINE bool all_lanes_of(__m256i m) {
    return _mm256_movemask_ps(_mm256_castsi256_ps(m)) == 0xff;
}
DNNL_INLINE __m256i equal(__m256i a, __m256i b) { return _mm256_cmpeq_epi32(a, b); }
DNNL_INLINE __m256i greater(__m256i a, __m256i b) { return _mm256_cmpgt_epi32(a, b); }
DNNL_INLINE __m256i blend(__m256i m, __m256i a, __m256i b) { return _mm256_blendv_epi8(b, a, m); }
DNNL_INLINE __m256 blend(__m256i m, __m256 a, __m256 b) {
    return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(m));
}
template <int Predicate> DNNL_INLINE __m256i compared(__m256 a, __m256 b) {
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, Predicate));
}
template <int Mode> DNNL_INLINE __m256 rounded(__m256 a) { return _mm256_round_ps(a, Mode); }
DNNL_INLINE __m256 gathered(const f32 *p, __m256i i) { return _mm256_i32gather_ps(p, i, 4); }
DNNL_INLINE __m256 load_lanes(const f32 *p, __m256i m) { return _mm256_maskload_ps(p, m); }
DNNL_INLINE __m256i load_lanes(const s32 *p, __m256i m) { return _mm256_maskload_epi32(p, m); }
DNNL_INLINE void store_lanes(f32 *p, __m256i m, __m256 x) { _mm256_maskstore_ps(p, m, x); }
DNNL_INLINE void store_lanes(s32 *p, __m256i m, __m256i x) { _mm256_maskstore_epi32(p, m, x); }
DNNL_INLINE __m256 multiply_add(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
DNNL_INLINE __m256 subtract_from(__m256 a, __m256 b, __m256 c) { return _mm256_fnmadd_ps(a, b, c); }
DNNL_INLINE __m128 half(__m256 a, int high) {
    return high ? _mm256_extractf128_ps(a, 1) : _mm256_castps256_ps128(a);
}
DNNL_INLINE __m128i half(__m256i a, int high) {
    return high ? _mm256_extracti128_si256(a, 1) : _mm256_castsi256_si128(a);
}
DNNL_INLINE __m256i high_words_over(__m256i low, __m256i high) {
    return _mm256_blend_epi16(low, high, 0xaa);
}
DNNL_INLINE __m256i of_each_128_bits(const u8 *p, __m256i) {
    return _mm256_broadcastsi128_si256(of_each_128_bits(p, __m128i {}));
}
DNNL_INLINE __m256i widened_u16(__m128i x, __m256i) { return _mm256_cvtepu16_epi32(x); }
DNNL_INLINE __m256i widened_s8(__m128i x, __m256i) { return _mm256_cvtepi8_epi32(x); }
DNNL_INLINE __m256i widened_u8(__m128i x, __m256i) { return _mm256_cvtepu8_epi32(x); }
#endif

template <class V> DNNL_INLINE auto not_equal(V a, V b) { return ~equal(a, b); }
template <class V> DNNL_INLINE auto at_least(V a, V b) { return ~greater(b, a); }

// ---- 512 bits ----

#if defined(__AVX512F__)
DNNL_INLINE __m512i numbers_in_order(__m512i) {
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
DNNL_INLINE __mmask16 equal(__m512i a, __m512i b) { return _mm512_cmpeq_epi32_mask(a, b); }
DNNL_INLINE __mmask16 greater(__m512i a, __m512i b) { return _mm512_cmpgt_epi32_mask(a, b); }
DNNL_INLINE __mmask16 not_equal(__m512i a, __m512i b) { return _mm512_cmpneq_epi32_mask(a, b); }
DNNL_INLINE __mmask16 at_least(__m512i a, __m512i b) { return _mm512_cmpge_epi32_mask(a, b); }
DNNL_INLINE __m512i of_each_128_bits(const u8 *p, __m512i) {
    return _mm512_broadcast_i32x4(of_each_128_bits(p, __m128i {}));
}
DNNL_INLINE __m512i high_words_over(__m512i low, __m512i high) {
    return _mm512_mask_blend_epi16(0xaaaaaaaa, low, high);
}
DNNL_INLINE __m512i blend(__mmask16 m, __m512i a, __m512i b) {
    return _mm512_mask_blend_epi32(m, b, a);
}
DNNL_INLINE __m512 blend(__mmask16 m, __m512 a, __m512 b) { return _mm512_mask_blend_ps(m, b, a); }
template <int Predicate> DNNL_INLINE __mmask16 compared(__m512 a, __m512 b) {
    return _mm512_cmp_ps_mask(a, b, Predicate);
}
template <int Mode> DNNL_INLINE __m512 rounded(__m512 a) { return _mm512_roundscale_ps(a, Mode); }
DNNL_INLINE __m512 gathered(const f32 *p, __m512i i) { return _mm512_i32gather_ps(i, p, 4); }
DNNL_MASKED __m512 load_lanes(const f32 *p, __mmask16 m) { return _mm512_maskz_loadu_ps(m, p); }
DNNL_MASKED __m512i load_lanes(const s32 *p, __mmask16 m) { return _mm512_maskz_loadu_epi32(m, p); }
DNNL_MASKED void store_lanes(f32 *p, __mmask16 m, __m512 x) { _mm512_mask_storeu_ps(p, m, x); }
DNNL_MASKED void store_lanes(s32 *p, __mmask16 m, __m512i x) { _mm512_mask_storeu_epi32(p, m, x); }
DNNL_MASKED void store_lanes(void *p, __mmask32 m, __m256i x) { _mm256_mask_storeu_epi8(p, m, x); }
DNNL_MASKED void store_lanes(void *p, __mmask32 m, __m512i x) { _mm512_mask_storeu_epi16(p, m, x); }
DNNL_INLINE __m512 multiply_add(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
DNNL_INLINE __m512 subtract_from(__m512 a, __m512 b, __m512 c) { return _mm512_fnmadd_ps(a, b, c); }
DNNL_INLINE __m256 half(__m512 a, int high) {
    return high ? _mm512_extractf32x8_ps(a, 1) : _mm512_castps512_ps256(a);
}
DNNL_INLINE __m256i half(__m512i a, int high) {
    return high ? _mm512_extracti64x4_epi64(a, 1) : _mm512_castsi512_si256(a);
}
#endif

// ---- Masks ----

template <class Isa, int Bytes = Isa::vector_bytes> struct mask {
    using integers = typename registers<Bytes>::integers;
    integers v;
    DNNL_INLINE static mask first(dim_t n) {
        return {greater(registers<Bytes>::set(static_cast<int>(n)), numbers_in_order(integers {}))};
    }
    DNNL_INLINE friend mask operator&(mask a, mask b) { return {a.v & b.v}; }
    DNNL_INLINE friend mask operator|(mask a, mask b) { return {a.v | b.v}; }
    DNNL_INLINE friend mask operator~(mask a) { return {~a.v}; }
    DNNL_INLINE friend bool any(mask a) { return any_bit(a.v); }
    DNNL_INLINE friend bool all(mask a) { return all_lanes_of(a.v); }
};

#if defined(__AVX512F__)
template <class Isa> struct mask<Isa, 64> {
    __mmask16 v;
    // n is 0 to 16. (With the instruction that makes masks GCC spills the sums of products.)
    DNNL_INLINE static mask first(dim_t n) {
        return {static_cast<__mmask16>((1u << static_cast<unsigned>(n)) - 1u)};
    }
    DNNL_INLINE friend mask operator&(mask a, mask b) { return {_kand_mask16(a.v, b.v)}; }
    DNNL_INLINE friend mask operator|(mask a, mask b) { return {_kor_mask16(a.v, b.v)}; }
    DNNL_INLINE friend mask operator~(mask a) { return {_knot_mask16(a.v)}; }
    DNNL_INLINE friend bool any(mask a) { return a.v != 0; }
    DNNL_INLINE friend bool all(mask a) { return a.v == 0xffff; }
};
#endif

#if !defined(__FMA__)
// By numbers of 53 bits, which hold the product: what a fused instruction gives, but for sums that
// lie so near the middle of two numbers that 53 bits do not tell.
DNNL_INLINE __m128 multiply_add(__m128 a, __m128 b, __m128 c) {
    const auto of_two = [](__m128 x, __m128 y, __m128 z) __attribute__((always_inline)) {
        return _mm_cvtpd_ps(_mm_cvtps_pd(x) * _mm_cvtps_pd(y) + _mm_cvtps_pd(z));
    };
    return _mm_movelh_ps(of_two(a, b, c), of_two(upper_half(a), upper_half(b), upper_half(c)));
}
#endif

// ---- Registers of any width as bytes, for kernels that move elements of any type ----

// The numbers 0 ... N - 1.
template <int... I> struct numbers {};
template <int N, int... I> struct first_numbers : first_numbers<N - 1, N - 1, I...> {};
template <int... I> struct first_numbers<0, I...> { using type = numbers<I...>; };

// Loads and stores registers of `Bytes` bytes, and interleaves two of them, into the low and the
// high half of the result: within each 16 bytes in units of T, or by 16 bytes.
template <int Bytes> struct lanes {
    typedef u8 bytes __attribute__((vector_size(Bytes)));
    typedef u8 anywhere __attribute__((vector_size(Bytes), aligned(1), may_alias));
    using all = typename first_numbers<Bytes>::type;
    bytes v;

    DNNL_INLINE static lanes load(const void *p) { return {*static_cast<const anywhere *>(p)}; }
    DNNL_INLINE void store(void *p) const { *static_cast<anywhere *>(p) = v; }
    template <int Lane> DNNL_INLINE void store_lane(void *p) const {
        const lanes<16> x = part<Lane>(typename first_numbers<16>::type {});
        x.store(p);
    }
    template <class T> DNNL_INLINE friend lanes low(lanes a, lanes b, T) {
        return interleaved<sizeof(T), 16, 0>(a, b, all {});
    }
    template <class T> DNNL_INLINE friend lanes high(lanes a, lanes b, T) {
        return interleaved<sizeof(T), 16, 1>(a, b, all {});
    }
    DNNL_INLINE friend lanes low_lanes(lanes a, lanes b) {
        return Bytes == 16 ? a : interleaved<16, Bytes, 0>(a, b, all {});
    }
    DNNL_INLINE friend lanes high_lanes(lanes a, lanes b) {
        return Bytes == 16 ? b : interleaved<16, Bytes, 1>(a, b, all {});
    }

  private:
    // Takes units of `Unit` bytes from a and b in turn, from one half of each `Span` bytes.
    template <int Unit, int Span, int Half, int... I>
    DNNL_INLINE static lanes interleaved(lanes a, lanes b, numbers<I...>) {
        return {__builtin_shufflevector(a.v, b.v,
            (I / Span * Span + Half * Span / 2 + I % Span / (2 * Unit) * Unit + I % Unit +
                I / Unit % 2 * Bytes)...)};
    }
    template <int Lane, int... I> DNNL_INLINE lanes<16> part(numbers<I...>) const {
        return {__builtin_shufflevector(v, v, (16 * Lane + I)...)};
    }
};

} // namespace dnnl::impl::cpu
