// SPDX-License-Identifier: Apache-2.0
// Two vectors of f32 or s32, converted on their way to adjacent elements of memory: what store_as
// makes of each, by fewer instructions where elements are shorter than lanes.
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

template <class Isa> DNNL_INLINE vec<f32, Isa> as_float(vec<f32, Isa> x) { return x; }
template <class Isa> DNNL_INLINE vec<f32, Isa> as_float(vec<s32, Isa> x) { return to_f32(x); }

/// Two rows of pairs.
template <class Isa, class Value, class T>
DNNL_INLINE void store_pairs(
    T *const (&to)[2], const vec<Value, Isa> (&x)[2], const vec<Value, Isa> (&y)[2], dim_t n) {
    store_pair(to[0], as_float<Isa>(x[0]), as_float<Isa>(y[0]), n);
    store_pair(to[1], as_float<Isa>(x[1]), as_float<Isa>(y[1]), n);
}

#if defined(__AVX512BW__)
// Integers that packs with saturation make bytes of; NaN becomes 0, of u8 by INT32_MIN.
template <class Isa> DNNL_INLINE __m512i words_of(vec<s32, Isa> x, const void *) { return x.v; }
template <class Isa> DNNL_INLINE __m512i words_of(vec<f32, Isa> x, const u8 *) {
    return to_s32_round(x).v;
}
template <class Isa> DNNL_INLINE __m512i words_of(vec<f32, Isa> x, const s8 *) {
    return _mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask(x.v, x.v, _CMP_ORD_Q), x.v);
}
template <class T, class V> DNNL_INLINE __m512i words_of(V x, V y) {
    const T *type = nullptr;
    return _mm512_packs_epi32(words_of(x, type), words_of(y, type));
}
// The bytes of one row in the low half, of another one in the high half.
template <class T> DNNL_INLINE __m512i bytes_of_rows(__m512i row, __m512i other_row) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, __is_same(T, u8) ? _mm512_packus_epi16(row, other_row)
                                                            : _mm512_packs_epi16(row, other_row));
}
DNNL_INLINE void store_bytes(void *to, __m256i bytes, dim_t n) {
    if (n == 32)
        _mm256_storeu_si256(static_cast<__m256i *>(to), bytes);
    else
        _mm256_mask_storeu_epi8(to, (__mmask32 {1} << n) - 1, bytes);
}
/// Values of f32 are at most the largest number of T.
template <class Isa, is_byte T>
requires(Isa::vector_bytes == 64) DNNL_INLINE
    void store_pair(T *to, vec<f32, Isa> x, vec<f32, Isa> y, dim_t n = 32) {
    const __m512i row = words_of<T>(x, y);
    store_bytes(to, _mm512_castsi512_si256(bytes_of_rows<T>(row, row)), n);
}
template <class Isa, class Value, is_byte T>
requires(Isa::vector_bytes == 64) DNNL_INLINE void store_pairs(
    T *const (&to)[2], const vec<Value, Isa> (&x)[2], const vec<Value, Isa> (&y)[2], dim_t n) {
    const __m512i both = bytes_of_rows<T>(words_of<T>(x[0], y[0]), words_of<T>(x[1], y[1]));
    store_bytes(to[0], _mm512_castsi512_si256(both), n);
    store_bytes(to[1], _mm512_extracti64x4_epi64(both, 1), n);
}
// The bits of bf16(x) in the high half of each lane, in the low half anything.
template <class Isa> DNNL_INLINE vec<s32, Isa> high_bf16_bits(vec<f32, Isa> x) {
    using i32 = vec<s32, Isa>;
    const i32 bits = as_s32(x), low_bit = shift_right<16>(bits) & i32::set(1);
    const i32 rounded = bits + i32::set(0x7fff) + low_bit;
    const __mmask16 nan = _mm512_cmp_ps_mask(x.v, x.v, _CMP_UNORD_Q);
    return {_mm512_mask_or_epi32(rounded.v, nan, bits.v, _mm512_set1_epi32(0x400000))};
}
// The high half of each lane, those of x first.
template <class Isa> DNNL_INLINE __m512i high_halves_of(vec<s32, Isa> x, vec<s32, Isa> y) {
    alignas(64) static constexpr std::uint16_t high_halves[32] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
        21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    return _mm512_permutex2var_epi16(x.v, _mm512_load_si512(high_halves), y.v);
}
template <class Isa> DNNL_INLINE __m512i bf16_of(vec<f32, Isa> x, vec<f32, Isa> y) {
    return high_halves_of(high_bf16_bits(x), high_bf16_bits(y));
}
#if defined(__AVX512BF16__)
// The instruction makes zeros of subnormal numbers. In asm, as dot.hpp.
template <class Isa>
requires(Isa::bf16_pairs) DNNL_INLINE __m512i bf16_of(vec<f32, Isa> x, vec<f32, Isa> y) {
    constexpr int subnormal = 0x20;
    if (__builtin_expect(
            _mm512_fpclass_ps_mask(x.v, subnormal) | _mm512_fpclass_ps_mask(y.v, subnormal), 0))
        return bf16_of<avx512>({x.v}, {y.v});
    __m512i both;
    asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(both) : "v"(y.v), "v"(x.v));
    return both;
}
#endif
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE
    void store_pair(bf16 *to, vec<f32, Isa> x, vec<f32, Isa> y, dim_t n = 32) {
    const __m512i both = bf16_of(x, y);
    if (n == 32)
        _mm512_storeu_si512(to, both);
    else
        _mm512_mask_storeu_epi16(to, (std::uint64_t {1} << n) - 1, both);
}
#endif

} // namespace dnnl::impl::cpu
