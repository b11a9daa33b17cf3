// SPDX-License-Identifier: Apache-2.0
// Registers of 128, 256 and 512 bits, and instructions that they have in common, under one name for
// all widths: add_epi32(a, b) is _mm_add_epi32, _mm256_add_epi32 or _mm512_add_epi32. A kernel
// source has the widths of the instruction set that it is compiled for.
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
DNNL_THREE(DNNL_OF_INTEGERS, packs_epi32, packs_epi16, packus_epi32)
DNNL_THREE(DNNL_OF_INTEGERS, packus_epi16, shuffle_epi8, unpacklo_epi8)
DNNL_THREE(DNNL_OF_INTEGERS, unpackhi_epi8, unpacklo_epi16, unpackhi_epi16)

#define DNNL_SHIFT(P, T, name)                                                                     \
    template <int N> DNNL_INLINE T##i name(T##i a) { return P##_##name(a, N); }
DNNL_THREE(DNNL_SHIFT, slli_epi32, srli_epi32, srai_epi32)
DNNL_THREE(DNNL_SHIFT, srli_epi64, srli_epi16, srai_epi16)

} // namespace dnnl::impl::cpu
