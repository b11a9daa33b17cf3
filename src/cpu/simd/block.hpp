// SPDX-License-Identifier: Apache-2.0
// Blocks: adjacent elements of one type as vectors of f32, in the order that suits the type.
//
//   block<Isa, T, N>     N vectors in the order of memory
//   block<Isa, bf16, N>  N even: vectors 2 j and 2 j + 1 hold the elements at even and odd places
//                        of the j-th run of 2 * vec::size elements. Between 32 bits of memory and
//                        two lanes lie a shift and a mask, and no element crosses lanes.
#pragma once

#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {

// ---- Pairs of vectors ----

template <class Isa> struct vector_pair { vec<f32, Isa> first, second; };

/// The even and the odd elements of pairs of bf16.
template <class Isa> DNNL_INLINE vector_pair<Isa> widen_pairs(vec<s32, Isa> pairs, const bf16 *) {
    return {as_f32(shift_left<16>(pairs)), as_f32(pairs & vec<s32, Isa>::set(-0x10000))};
}

/// The elements at even and at odd places of two vectors in a row; interleaved() is the way back.
template <class Isa>
requires(Isa::vector_bytes == 16) DNNL_INLINE vector_pair<Isa> even_and_odd(
    vec<f32, Isa> a, vec<f32, Isa> b) {
    return {{_mm_shuffle_ps(a.v, b.v, 0x88)}, {_mm_shuffle_ps(a.v, b.v, 0xdd)}};
}
template <class Isa>
requires(Isa::vector_bytes == 16) DNNL_INLINE vector_pair<Isa> interleaved(
    vec<f32, Isa> even, vec<f32, Isa> odd) {
    return {{_mm_unpacklo_ps(even.v, odd.v)}, {_mm_unpackhi_ps(even.v, odd.v)}};
}
#if defined(__AVX2__)
template <class Isa>
requires(Isa::vector_bytes == 32) DNNL_INLINE vector_pair<Isa> even_and_odd(
    vec<f32, Isa> a, vec<f32, Isa> b) {
    const auto in_order = [](__m256 x) __attribute__((always_inline))->vec<f32, Isa> {
        return {_mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(x), 0xd8))};
    };
    return {
        in_order(_mm256_shuffle_ps(a.v, b.v, 0x88)), in_order(_mm256_shuffle_ps(a.v, b.v, 0xdd))};
}
template <class Isa>
requires(Isa::vector_bytes == 32) DNNL_INLINE vector_pair<Isa> interleaved(
    vec<f32, Isa> even, vec<f32, Isa> odd) {
    const __m256 low = _mm256_unpacklo_ps(even.v, odd.v), high = _mm256_unpackhi_ps(even.v, odd.v);
    return {{_mm256_permute2f128_ps(low, high, 0x20)}, {_mm256_permute2f128_ps(low, high, 0x31)}};
}
#endif
#if defined(__AVX512F__)
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE vector_pair<Isa> even_and_odd(
    vec<f32, Isa> a, vec<f32, Isa> b) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    return {{_mm512_permutex2var_ps(a.v, even, b.v)}, {_mm512_permutex2var_ps(a.v, odd, b.v)}};
}
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE vector_pair<Isa> interleaved(
    vec<f32, Isa> even, vec<f32, Isa> odd) {
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    return {{_mm512_permutex2var_ps(even.v, low, odd.v)},
        {_mm512_permutex2var_ps(even.v, high, odd.v)}};
}
#endif

// ---- bf16 from even and odd elements ----

/// The low halves of `low` and the high halves of `high`.
template <class Isa> DNNL_INLINE vec<s32, Isa> merge_halves(vec<s32, Isa> low, vec<s32, Isa> high) {
    return {high_words_over(low.v, high.v)};
}

#if defined(__AVX512BF16__)
template <class Isa>
DNNL_INLINE vec<s32, Isa> converted_pairs(vec<f32, Isa> even, vec<f32, Isa> odd) {
    alignas(64) static constexpr std::uint16_t in_turn[32] = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
        21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    return {_mm512_permutexvar_epi16(_mm512_load_si512(in_turn), bf16_of_normal(even, odd))};
}
#endif

/// Pairs of bf16, rounded to nearest even.
template <class Isa>
DNNL_INLINE vec<s32, Isa> rounded_pairs(vec<f32, Isa> even, vec<f32, Isa> odd) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
#if defined(__AVX512BF16__)
    if constexpr (Isa::bf16_pairs) {
        // Subnormal numbers take the other way.
        if (__builtin_expect(_kortestz_mask16_u8(subnormal_lanes(even), subnormal_lanes(odd)), 1))
            return converted_pairs<Isa>(even, odd);
    }
#endif
    i32 low = rounded_to_bf16(even), high = rounded_to_bf16(odd);
    if (__builtin_expect(any(v::template compare<_CMP_UNORD_Q>(even, odd)), 0)) {
        const i32 quiet = i32::set(0x400000);
        low = select(is_nan(even), as_s32(even) | quiet, low);
        high = select(is_nan(odd), as_s32(odd) | quiet, high);
    }
    return merge_halves<Isa>(shift_right<16>(low), high);
}

// ---- Blocks ----

template <class Isa, class T, int N> struct block {
    using v = vec<f32, Isa>;
    static constexpr bool in_pairs = __is_same(T, bf16);
    static_assert(!in_pairs || N % 2 == 0);
    static constexpr int count = N;
    static constexpr dim_t size = N * v::size;
    v x[N];

    DNNL_INLINE static block set(f32 number) {
        block b;
#pragma GCC unroll 4
        for (v &y : b.x) y = v::set(number);
        return b;
    }
    /// Elements of T, or of f32 for the same places.
    template <class X> DNNL_INLINE static block load(const X *p) {
        block b;
        if constexpr (!in_pairs) {
#pragma GCC unroll 4
            for (int j = 0; j < N; ++j) b.x[j] = load_as_f32<Isa>(p + j * v::size);
        } else {
#pragma GCC unroll 2
            for (int j = 0; j < N; j += 2) {
                const X *from = p + j * v::size;
                vector_pair<Isa> both;
                if constexpr (__is_same(X, bf16))
                    both = widen_pairs<Isa>(
                        vec<s32, Isa>::load(reinterpret_cast<const s32 *>(from)), from);
                else
                    both = even_and_odd<Isa>(v::load(from), v::load(from + v::size));
                b.x[j] = both.first;
                b.x[j + 1] = both.second;
            }
        }
        return b;
    }
    /// The same the other way, rounded to nearest even.
    template <class X> DNNL_INLINE void store(X *p) const {
        if constexpr (!in_pairs) {
#pragma GCC unroll 4
            for (int j = 0; j < N; ++j) store_as(p + j * v::size, x[j]);
            return;
        }
#pragma GCC unroll 2
        for (int j = 0; j < N; j += 2) {
            X *to = p + j * v::size;
            if constexpr (__is_same(X, bf16)) {
                rounded_pairs(x[j], x[j + 1]).store(reinterpret_cast<s32 *>(to));
            } else {
                const vector_pair<Isa> both = interleaved<Isa>(x[j], x[j + 1]);
                both.first.store(to);
                both.second.store(to + v::size);
            }
        }
    }
    /// The same of values that T holds.
    DNNL_INLINE void store_exact(T *p) const {
        if constexpr (!in_pairs) return store(p);
#pragma GCC unroll 2
        for (int j = 0; j < N; j += 2)
            merge_halves<Isa>(shift_right<16>(as_s32(x[j])), as_s32(x[j + 1]))
                .store(reinterpret_cast<s32 *>(p + j * v::size));
    }
    /// f of each vector, and of the same vectors of more blocks.
    template <class F, class... More> DNNL_INLINE block map(const F &f, const More &...more) const {
        block b;
#pragma GCC unroll 4
        for (int j = 0; j < N; ++j) b.x[j] = f(x[j], more.x[j]...);
        return b;
    }
#define DNNL_OF_BLOCKS(name, result)                                                               \
    DNNL_INLINE friend block name(const block &a, const block &b) {                                \
        return a.map(                                                                              \
            [](v y, v z) __attribute__((always_inline)) { return result; }, b);                    \
    }
    DNNL_OF_BLOCKS(operator+, y + z)
    DNNL_OF_BLOCKS(operator-, y - z)
    DNNL_OF_BLOCKS(operator*, (y * z))
    DNNL_OF_BLOCKS(max, max(y, z))
    DNNL_OF_BLOCKS(min, min(y, z))
#undef DNNL_OF_BLOCKS
    DNNL_INLINE friend block fma(const block &a, const block &b, const block &c) {
        return a.map(
            [](v y, v z, v w) __attribute__((always_inline)) { return fma(y, z, w); }, b, c);
    }
};

/// A block of as many elements of T as fill one register.
template <class Isa, class T> using register_block = block<Isa, T, __is_same(T, bf16) ? 2 : 1>;

} // namespace dnnl::impl::cpu
