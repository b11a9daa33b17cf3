// SPDX-License-Identifier: Apache-2.0
// Two vectors of f32, converted on their way to adjacent elements of memory: what store_as makes of
// each, by fewer instructions where elements are shorter than lanes.
#pragma once

#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {

/// store_as(to, x) and store_as(to + x.size, y); n: only as many elements.
template <class Isa, class T>
DNNL_INLINE void store_pair(
    T *to, vec<f32, Isa> x, vec<f32, Isa> y, dim_t n = 2 * vec<f32, Isa>::size) {
    constexpr dim_t size = vec<f32, Isa>::size;
    if (n == 2 * size) {
        store_as(to, x);
        store_as(to + size, y);
        return;
    }
    store_as(to, x, n < size ? n : size);
    if (n > size) store_as(to + size, y, n - size);
}

#if defined(__AVX512BW__)
// Bytes in the order that a pack of two vectors leaves, by 64 bits.
DNNL_INLINE void store_packed(void *to, __m256i bytes, dim_t n) {
    const __m256i order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    const __m256i row = _mm256_permutevar8x32_epi32(bytes, order);
    if (n == 32)
        _mm256_storeu_si256(static_cast<__m256i *>(to), row);
    else
        _mm256_mask_storeu_epi8(to, (__mmask32 {1} << n) - 1, row);
}
// NaN passes min() as its second operand, becomes INT32_MIN, and 0 by saturation.
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE
    void store_pair(u8 *to, vec<f32, Isa> x, vec<f32, Isa> y, dim_t n = 32) {
    const vec<f32, Isa> most = vec<f32, Isa>::set(255.0f);
    const __m512i words =
        _mm512_packus_epi32(to_s32_round(min(most, x)).v, to_s32_round(min(most, y)).v);
    store_packed(to, _mm512_cvtusepi16_epi8(words), n);
}
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE
    void store_pair(s8 *to, vec<f32, Isa> x, vec<f32, Isa> y, dim_t n = 32) {
    const __m512i words = _mm512_packs_epi32(
        to_s32_clamped<Isa>(x, -128.0f, 127.0f).v, to_s32_clamped<Isa>(y, -128.0f, 127.0f).v);
    store_packed(to, _mm512_cvtepi16_epi8(words), n);
}
// The bits of bf16(x) in the high half of each lane, in the low half anything.
template <class Isa> DNNL_INLINE vec<s32, Isa> high_bf16_bits(vec<f32, Isa> x) {
    using i32 = vec<s32, Isa>;
    const i32 bits = as_s32(x), low_bit = shift_right<16>(bits) & i32::set(1);
    const i32 rounded = bits + i32::set(0x7fff) + low_bit;
    const __mmask16 nan = _mm512_cmp_ps_mask(x.v, x.v, _CMP_UNORD_Q);
    return {_mm512_mask_or_epi32(rounded.v, nan, bits.v, _mm512_set1_epi32(0x400000))};
}
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE
    void store_pair(bf16 *to, vec<f32, Isa> x, vec<f32, Isa> y, dim_t n = 32) {
    alignas(64) static constexpr std::uint16_t high_halves[32] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
        21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    const __m512i both = _mm512_permutex2var_epi16(
        high_bf16_bits(x).v, _mm512_load_si512(high_halves), high_bf16_bits(y).v);
    if (n == 32)
        _mm512_storeu_si512(to, both);
    else
        _mm512_mask_storeu_epi16(to, (std::uint64_t {1} << n) - 1, both);
}
#endif

} // namespace dnnl::impl::cpu
