// SPDX-License-Identifier: Apache-2.0
// Converts and stores two vectors of f32 or s32 to adjacent elements of memory. The results are
// those of store_as, with fewer instructions where elements are shorter than lanes.
#pragma once

#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {

/// Which elements of a pair of vectors are in memory: the first n of them. Without masks for lanes
/// it must be all, or those of the first vector.
template <class Isa, int Bytes = Isa::vector_bytes> struct lanes_of_pair {
    all_lanes left, right;
    bool both;
    static constexpr bool whole = true;
    DNNL_INLINE explicit lanes_of_pair(dim_t n) : both(n > vec<f32, Isa>::size) {}
};
#if defined(__AVX512BW__)
template <class Isa> struct lanes_of_pair<Isa, 64> {
    mask<Isa> left, right;
    __mmask32 both;
    bool whole; // stores with masks hold up loads behind them on AMD processors
    DNNL_INLINE explicit lanes_of_pair(dim_t n)
        : both(_bzhi_u32(~0u, static_cast<unsigned>(n))), whole(n >= 32) {
        left.v = static_cast<__mmask16>(both);
        right.v = static_cast<__mmask16>(both >> 16);
    }
};
#endif

/// Does what store_as(to, x) and store_as(to + x.size, y) do, for the first n elements.
template <class Isa, class T>
DNNL_INLINE void store_pair(T *to, vec<f32, Isa> x, vec<f32, Isa> y, lanes_of_pair<Isa> n) {
    constexpr dim_t size = vec<f32, Isa>::size;
    if (n.whole) {
        store_as(to, x);
        if (masks_lanes<Isa> || n.both) store_as(to + size, y);
    } else {
        store_as(to, x, n.left);
        store_as(to + size, y, n.right);
    }
}
template <class Isa, class T>
DNNL_INLINE void store_pair(
    T *to, vec<f32, Isa> x, vec<f32, Isa> y, dim_t n = 2 * vec<f32, Isa>::size) {
    constexpr dim_t size = vec<f32, Isa>::size;
    if (masks_lanes<Isa> || n == 2 * size) return store_pair(to, x, y, lanes_of_pair<Isa>(n));
    store_as(to, x, smaller(n, size));
    if (n > size) store_as(to + size, y, n - size);
}

/// Stores a pair in each of two rows; n is a number of elements or lanes_of_pair.
template <class Isa, class Value, class T, class Lanes>
DNNL_INLINE void store_pairs(
    T *const (&to)[2], const vec<Value, Isa> (&x)[2], const vec<Value, Isa> (&y)[2], Lanes n) {
    store_pair(to[0], as_float<Isa>(x[0]), as_float<Isa>(y[0]), n);
    store_pair(to[1], as_float<Isa>(x[1]), as_float<Isa>(y[1]), n);
}

// Returns integers that packs with saturation turn into bytes, if f32 are at most the largest of
// them. NaN becomes 0; for u8 it is INT32_MIN until then.
template <class Isa> DNNL_INLINE auto words_of(vec<s32, Isa> x, const void *) { return x.v; }
template <class Isa> DNNL_INLINE auto words_of(vec<f32, Isa> x, const u8 *) {
    return to_s32_round(x).v;
}
template <class Isa> DNNL_INLINE auto words_of(vec<f32, Isa> x, const s8 *) {
#if defined(__AVX512F__)
    if constexpr (Isa::vector_bytes == 64)
        return _mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask(x.v, x.v, _CMP_ORD_Q), x.v);
    else
#endif
        return (to_s32_round(x) & vec<s32, Isa> {(x == x).v}).v;
}
// Returns the words of two vectors: of each 16 bytes four of x, then four of y.
template <class T, class V> DNNL_INLINE auto words_of(V x, V y) {
    const T *type = nullptr;
    return packs_epi32(words_of(x, type), words_of(y, type));
}
#if defined(__AVX2__)
template <class Isa, class Value, is_byte T>
requires(Isa::vector_bytes == 32) DNNL_INLINE void store_pairs(T *const (&to)[2],
    const vec<Value, Isa> (&x)[2], const vec<Value, Isa> (&y)[2], lanes_of_pair<Isa> n) {
    if (!n.both) {
        store_as(to[0], x[0]);
        return store_as(to[1], x[1]);
    }
    const __m256i row = words_of<T>(x[0], y[0]), other_row = words_of<T>(x[1], y[1]);
    const __m256i bytes = _mm256_permutevar8x32_epi32(
        __is_same(T, u8) ? packus_epi16(row, other_row) : packs_epi16(row, other_row),
        _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to[0]), _mm256_castsi256_si128(bytes));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to[1]), _mm256_extracti128_si256(bytes, 1));
}
#endif
#if defined(__AVX512BW__)
// Packs words of one row into the bytes of the low half, of another into those of the high half.
template <class T> DNNL_INLINE __m512i bytes_of_rows(__m512i row, __m512i other_row) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, __is_same(T, u8) ? _mm512_packus_epi16(row, other_row)
                                                            : _mm512_packs_epi16(row, other_row));
}
template <class Isa> DNNL_INLINE void store_bytes(void *to, __m256i bytes, lanes_of_pair<Isa> n) {
    if (n.whole)
        _mm256_storeu_si256(static_cast<__m256i *>(to), bytes);
    else
        store_lanes(to, n.both, bytes);
}
/// The caller has limited f32 values to the largest number of T.
template <class Isa, is_byte T>
requires(Isa::vector_bytes == 64) DNNL_INLINE
    void store_pair(T *to, vec<f32, Isa> x, vec<f32, Isa> y, lanes_of_pair<Isa> n) {
    const __m512i row = words_of<T>(x, y);
    store_bytes<Isa>(to, _mm512_castsi512_si256(bytes_of_rows<T>(row, row)), n);
}
template <class Isa, class Value, is_byte T, class Lanes>
requires(Isa::vector_bytes == 64) DNNL_INLINE void store_pairs(
    T *const (&to)[2], const vec<Value, Isa> (&x)[2], const vec<Value, Isa> (&y)[2], Lanes n) {
    const __m512i both = bytes_of_rows<T>(words_of<T>(x[0], y[0]), words_of<T>(x[1], y[1]));
    const lanes_of_pair<Isa> lanes(n);
    store_bytes(to[0], _mm512_castsi512_si256(both), lanes);
    store_bytes(to[1], _mm512_extracti64x4_epi64(both, 1), lanes);
}
// Returns the bits of bf16(x) in the high half of each lane; the low half is arbitrary.
template <class Isa> DNNL_INLINE vec<s32, Isa> high_bf16_bits(vec<f32, Isa> x) {
    const __mmask16 nan = _mm512_cmp_ps_mask(x.v, x.v, _CMP_UNORD_Q);
    return {
        _mm512_mask_or_epi32(rounded_to_bf16(x).v, nan, as_s32(x).v, _mm512_set1_epi32(0x400000))};
}
// Gathers the high half of each lane, those of x first.
template <class Isa> DNNL_INLINE __m512i high_halves_of(vec<s32, Isa> x, vec<s32, Isa> y) {
    alignas(64) static constexpr std::uint16_t high_halves[32] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
        21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    return _mm512_permutex2var_epi16(x.v, _mm512_load_si512(high_halves), y.v);
}
template <class Isa> DNNL_INLINE __m512i bf16_of(vec<f32, Isa> x, vec<f32, Isa> y) {
    return high_halves_of(high_bf16_bits(x), high_bf16_bits(y));
}
#if defined(__AVX512BF16__)
template <class Isa>
requires(Isa::bf16_pairs) DNNL_INLINE __m512i bf16_of(vec<f32, Isa> x, vec<f32, Isa> y) {
    if (__builtin_expect(subnormal_lanes(x) | subnormal_lanes(y), 0))
        return bf16_of<avx512>({x.v}, {y.v});
    return bf16_of_normal(x, y);
}
#endif
template <class Isa> DNNL_INLINE void store_halves(bf16 *to, __m512i both, lanes_of_pair<Isa> n) {
    if (n.whole)
        _mm512_storeu_si512(to, both);
    else
        store_lanes(to, n.both, both);
}
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE
    void store_pair(bf16 *to, vec<f32, Isa> x, vec<f32, Isa> y, lanes_of_pair<Isa> n) {
    store_halves(to, bf16_of(x, y), n);
}
#if defined(__AVX512BF16__)
// Not inline: rare, and long. (Inline, products of 16 to 32 rows take 5 to 10 % longer.)
template <class Isa>
[[gnu::noinline, gnu::cold]] void store_subnormal(
    bf16 *to, vec<f32, Isa> x, vec<f32, Isa> y, lanes_of_pair<Isa> n) {
    store_pair(to, x, y, n);
}
template <class Isa>
requires(Isa::bf16_pairs) DNNL_INLINE void store_pairs(bf16 *const (&to)[2],
    const vec<f32, Isa> (&x)[2], const vec<f32, Isa> (&y)[2], lanes_of_pair<Isa> n) {
    const __mmask16 left = subnormal_lanes(x[0]) | subnormal_lanes(x[1]),
                    right = subnormal_lanes(y[0]) | subnormal_lanes(y[1]);
    const bool subnormal = __builtin_expect(left | right, 0);
#pragma GCC unroll 2
    for (int r = 0; r < 2; ++r)
        subnormal ? store_subnormal(to[r], x[r], y[r], n)
                  : store_halves(to[r], bf16_of_normal(x[r], y[r]), n);
}
#endif
#endif

} // namespace dnnl::impl::cpu
