// SPDX-License-Identifier: Apache-2.0
// Converts rows of adjacent elements four vectors at a time: elements shorter than lanes then fill
// whole registers, which takes fewer instructions than load_as_* and store_as for each vector.
#pragma once

#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {

// ---- Four vectors of 32-bit lanes from and to adjacent elements ----

template <class Isa, class Value, class T>
DNNL_INLINE void load_four(const T *p, vec<Value, Isa> (&x)[4]) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) x[i] = load_as<Value, Isa>(p + i * x[0].size);
}

// Limits f32 to the largest number of T. NaN stays, because it is the second operand of min().
template <class T, class Isa> DNNL_INLINE vec<s32, Isa> up_to_largest(vec<s32, Isa> x) { return x; }
template <class T, class Isa> DNNL_INLINE vec<f32, Isa> up_to_largest(vec<f32, Isa> x) {
    return min(vec<f32, Isa>::set(__is_same(T, u8) ? 255.0f : 127.0f), x);
}
// True where a lane is NaN: packs with saturation would make the least number of s8 of it.
template <class Isa, int Bytes> DNNL_INLINE bool has_nan(const vec<s32, Isa, Bytes> (&)[4]) {
    return false;
}
template <class Isa, int Bytes> DNNL_INLINE bool has_nan(const vec<f32, Isa, Bytes> (&x)[4]) {
    using v = vec<f32, Isa, Bytes>;
    constexpr int unordered = _CMP_UNORD_Q;
    return any(
        v::template compare<unordered>(x[0], x[1]) | v::template compare<unordered>(x[2], x[3]));
}

// Packs the values into bytes, which are no NaN where they are s8. Each 128 bits hold 4 values of
// x[0], then of x[1], x[2] and x[3].
template <class T, class Isa, class Value, int Bytes>
DNNL_INLINE auto packed_bytes(const vec<Value, Isa, Bytes> (&x)[4]) {
    typename registers<Bytes>::integers words[2];
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i)
        words[i] = words_of<u8>(up_to_largest<T>(x[2 * i]), up_to_largest<T>(x[2 * i + 1]));
    return __is_same(T, u8) ? packus_epi16(words[0], words[1]) : packs_epi16(words[0], words[1]);
}
// Brings together what packs left in each 128 bits, by units of 32 or of 64 bits.
template <class Unit> DNNL_INLINE __m128i units_in_order(__m128i x, Unit) { return x; }
#if defined(__AVX2__)
DNNL_INLINE __m256i units_in_order(__m256i x, s32) {
    return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
DNNL_INLINE __m256i units_in_order(__m256i x, dim_t) { return _mm256_permute4x64_epi64(x, 0xd8); }
#endif
#if defined(__AVX512BW__)
DNNL_INLINE __m512i units_in_order(__m512i x, s32) {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, x);
}
DNNL_INLINE __m512i units_in_order(__m512i x, dim_t) {
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), x);
}
#endif
template <class T, class Isa, class Value, int Bytes>
DNNL_INLINE void store_bytes_of(T *to, const vec<Value, Isa, Bytes> (&x)[4]) {
    const auto bytes = units_in_order(packed_bytes<T>(x), s32 {});
    __builtin_memcpy(to, &bytes, sizeof(bytes));
}
// The same where x came from two registers of words: x[0] are the even words of the first, x[1] its
// odd words, x[2] and x[3] those of the second.
template <class T, class Isa, class Value, int Bytes>
DNNL_INLINE void store_bytes_of_halves(T *to, const vec<Value, Isa, Bytes> (&x)[4]) {
    alignas(16) static constexpr u8 zip[16] = {
        0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15};
    const auto order = of_each_128_bits(zip, vec<s32, Isa, Bytes> {}.v);
    const auto bytes = units_in_order(shuffle_epi8(packed_bytes<T>(x), order), dim_t {});
    __builtin_memcpy(to, &bytes, sizeof(bytes));
}
template <class Isa, int Bytes>
DNNL_INLINE void store_rounded_pair(bf16 *to, vec<f32, Isa, Bytes> x, vec<f32, Isa, Bytes> y) {
    const auto words =
        units_in_order(packus_epi32(bf16_bits<Isa>(x).v, bf16_bits<Isa>(y).v), dim_t {});
    __builtin_memcpy(to, &words, sizeof(words));
}
template <class Isa, int Bytes>
DNNL_INLINE void store_exact_pair(bf16 *to, vec<f32, Isa, Bytes> x, vec<f32, Isa, Bytes> y) {
    const auto words = units_in_order(
        packus_epi32(shift_right<16>(as_s32(x)).v, shift_right<16>(as_s32(y)).v), dim_t {});
    __builtin_memcpy(to, &words, sizeof(words));
}
#if defined(__AVX512BW__)
// Gives what bf16_of() gives, but rounds up in 16-bit words: where the low half is more than one
// half of the last bit, or exactly one half and the last bit is set.
template <class Isa>
DNNL_INLINE void store_rounded_pair(bf16 *to, vec<f32, Isa, 64> x, vec<f32, Isa, 64> y) {
    alignas(64) static constexpr std::uint16_t low_halves[32] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
        20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62};
    if (__builtin_expect(_mm512_cmp_ps_mask(x.v, y.v, _CMP_UNORD_Q), 0))
        return store_pair(to, x, y);
    const __m512i high = high_halves_of(as_s32(x), as_s32(y));
    const __m512i low =
        _mm512_permutex2var_epi16(as_s32(x).v, _mm512_load_si512(low_halves), as_s32(y).v);
    const __m512i last_bit = _mm512_and_si512(high, _mm512_set1_epi16(1));
    const __mmask32 up =
        _mm512_cmpgt_epu16_mask(_mm512_adds_epu16(low, last_bit), _mm512_set1_epi16(-0x8000));
    _mm512_storeu_si512(to, _mm512_mask_sub_epi16(high, up, high, _mm512_set1_epi16(-1)));
}
template <class Isa>
DNNL_INLINE void store_exact_pair(bf16 *to, vec<f32, Isa, 64> x, vec<f32, Isa, 64> y) {
    _mm512_storeu_si512(to, high_halves_of(as_s32(x), as_s32(y)));
}
#endif

// Loads as load_four() does, but in the order that store_bytes_of_halves() takes.
template <class Isa> DNNL_INLINE void load_halves(const bf16 *p, vec<f32, Isa> (&x)[4]) {
    using i32 = vec<s32, Isa>;
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
        i32 words;
        __builtin_memcpy(&words, p + i * 2 * i32::size, sizeof(words));
        x[2 * i] = as_f32(shift_left<16>(words));
        x[2 * i + 1] = as_f32(words & i32::set(-0x10000));
    }
}
/// `Exact` says that the values are numbers of bf16, which holds every byte.
template <class T, class Isa, class Value, int Bytes, bool Exact = false>
DNNL_INLINE void store_four(T *to, const vec<Value, Isa, Bytes> (&x)[4]) {
    constexpr int size = vec<Value, Isa>::size;
    if constexpr (is_byte<T>) {
        if (!__is_same(T, s8) || __builtin_expect(!has_nan(x), 1)) return store_bytes_of(to, x);
    }
    if constexpr (__is_same(T, bf16)) {
#pragma GCC unroll 2
        for (int i = 0; i < 4; i += 2)
            if constexpr (Exact)
                store_exact_pair(to + i * size, x[i], x[i + 1]);
            else
                store_rounded_pair(to + i * size, x[i], x[i + 1]);
    } else {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) store_as(to + i * size, x[i]);
    }
}

template <class T, class Isa> DNNL_INLINE void convert_halves(const bf16 *from, T *to) {
    vec<f32, Isa> x[4];
    load_halves(from, x);
    if (!__is_same(T, s8) || __builtin_expect(!has_nan(x), 1)) return store_bytes_of_halves(to, x);
    load_four<Isa, f32>(from, x);
    store_four(to, x);
}

// ---- Rows ----

template <class V> DNNL_INLINE V saturated(V x, s8) {
    return min_epu8(x, registers<sizeof(V)>::set(0x7f7f7f7f));
}
template <class V> DNNL_INLINE V saturated(V x, u8) { return max_epi8(x, V {}); }
/// dst[i] = src[i], saturated: u8 to s8 or s8 to u8.
template <class Isa, is_byte S, is_byte D>
DNNL_INLINE void saturate_adjacent(const S *src, dim_t n, D *dst) {
    using integers = decltype(vec<s32, Isa>::v);
    constexpr dim_t size = Isa::vector_bytes;
    const auto store_at = [&](dim_t i) {
        integers x;
        __builtin_memcpy(&x, src + i, size);
        x = saturated(x, D {});
        __builtin_memcpy(dst + i, &x, size);
    };
    dim_t i = 0;
    for (; i + size <= n; i += size) store_at(i);
    if (i < n && n >= size) return store_at(n - size); // what is saturated twice stays
    for (; i < n; ++i) {
        const int x = src[i], largest = __is_same(D, s8) ? 127 : 255;
        dst[i] = static_cast<D>(x > largest ? largest : x < 0 && __is_same(D, u8) ? 0 : x);
    }
}

/// Leaves values as they are on their way (convert_adjacent()).
struct no_change {
    template <class V> DNNL_INLINE void operator()(V &, dim_t, dim_t) const {}
};

/// Converts src[i] to Value, changes it, and stores it in dst[i], saturated and rounded to nearest
/// even. change(x, i, n) takes an array of 4 vectors or of 1 whose first lane is element i; of the
/// last vector n lanes count.
template <class Isa, class Value, class S, class D, class Change = no_change>
DNNL_INLINE void convert_adjacent(const S *src, dim_t n, D *dst, const Change &change = {}) {
    using v = vec<Value, Isa>;
    constexpr bool exact = is_byte<S> && __is_same(Change, no_change);
    dim_t i = 0;
    for (; i + 4 * v::size <= n; i += 4 * v::size) {
        if constexpr (__is_same(S, bf16) && is_byte<D> && __is_same(Change, no_change)) {
            convert_halves<D, Isa>(src + i, dst + i);
            continue;
        }
        v x[4];
        load_four<Isa, Value>(src + i, x);
        change(x, i, v::size);
        store_four<D, Isa, Value, Isa::vector_bytes, exact>(dst + i, x);
    }
    for (; i < n; i += v::size) {
        const dim_t left = smaller(n - i, v::size);
        v x[1] = {load_up_to<Isa, Value>(src + i, left)};
        change(x, i, left);
        store_up_to(dst + i, x[0], left);
    }
}

} // namespace dnnl::impl::cpu
