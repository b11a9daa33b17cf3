// SPDX-License-Identifier: Apache-2.0
// bf16 elements as two vectors of f32, those at even and those at odd places: between 32 bits of
// memory and two lanes lie a shift and a mask, and no element crosses lanes. For loops whose
// tensors are all of bf16.
#pragma once

#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {

// What an odd place has in the high half, an even one in the low half.
#if defined(__AVX512BW__)
template <class Isa>
DNNL_INLINE vec<s32, Isa, 64> merge_halves(vec<s32, Isa, 64> low, vec<s32, Isa, 64> high) {
    return {_mm512_mask_blend_epi16(0xaaaaaaaa, low.v, high.v)};
}
#endif
template <class Isa>
DNNL_INLINE vec<s32, Isa, 32> merge_halves(vec<s32, Isa, 32> low, vec<s32, Isa, 32> high) {
    return {_mm256_blend_epi16(low.v, high.v, 0xaa)};
}

/// 2 * vec::size elements of f32 in their order: what even_odd is to bf16.
template <class Isa> struct adjacent_pair {
    using v = vec<f32, Isa>;
    static constexpr dim_t size = 2 * v::size;
    v first, second;

    DNNL_INLINE static adjacent_pair load(const f32 *p) {
        return {v::load(p), v::load(p + v::size)};
    }
    DNNL_INLINE void store(f32 *p) const {
        first.store(p);
        second.store(p + v::size);
    }
};

/// 2 * vec::size elements.
template <class Isa> struct even_odd {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    static constexpr dim_t size = 2 * v::size;
    v even, odd;

    DNNL_INLINE static even_odd set(bf16 x) {
        const v all = as_f32(shift_left<16>(i32::set(x.bits)));
        return {all, all};
    }
    DNNL_INLINE static even_odd load(const bf16 *p) {
        const i32 pairs = i32::load(reinterpret_cast<const s32 *>(p));
        return {as_f32(shift_left<16>(pairs)), as_f32(pairs & i32::set(-0x10000))};
    }
    /// Values of f32 for the same places.
    DNNL_INLINE static even_odd load(const f32 *p) {
        return separated(v::load(p), v::load(p + v::size));
    }
    DNNL_INLINE void store(f32 *p) const { store_in_turn(p, even, odd); }
    DNNL_INLINE void store(bf16 *p) const {
        rounded_pairs(even, odd).store(reinterpret_cast<s32 *>(p));
    }
    /// f of each element.
    template <class F> DNNL_INLINE even_odd map(const F &f) const { return {f(even), f(odd)}; }
    template <class F> DNNL_INLINE even_odd map(const F &f, const even_odd &y) const {
        return {f(even, y.even), f(odd, y.odd)};
    }

  private:
#if defined(__AVX512F__)
    DNNL_INLINE static even_odd separated(vec<f32, Isa, 64> x, vec<f32, Isa, 64> y) {
        const i32 even_places = i32::iota() + i32::iota();
        const i32 odd_places = even_places + i32::set(1);
        return {{_mm512_permutex2var_ps(x.v, even_places.v, y.v)},
            {_mm512_permutex2var_ps(x.v, odd_places.v, y.v)}};
    }
    DNNL_INLINE static void store_in_turn(f32 *p, vec<f32, Isa, 64> x, vec<f32, Isa, 64> y) {
        const __m512i low =
            _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
        _mm512_storeu_ps(p, _mm512_permutex2var_ps(x.v, low, y.v));
        _mm512_storeu_ps(p + 16, _mm512_permutex2var_ps(x.v, high, y.v));
    }
#endif
    DNNL_INLINE static void store_in_turn(f32 *p, vec<f32, Isa, 32> x, vec<f32, Isa, 32> y) {
        const __m256 low = _mm256_unpacklo_ps(x.v, y.v), high = _mm256_unpackhi_ps(x.v, y.v);
        _mm256_storeu_ps(p, _mm256_permute2f128_ps(low, high, 0x20));
        _mm256_storeu_ps(p + 8, _mm256_permute2f128_ps(low, high, 0x31));
    }
    DNNL_INLINE static even_odd separated(vec<f32, Isa, 32> x, vec<f32, Isa, 32> y) {
        const auto in_order = [](__m256 pairs) __attribute__((always_inline)) {
            return v {_mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(pairs), 0xd8))};
        };
        return {in_order(_mm256_shuffle_ps(x.v, y.v, 0x88)),
            in_order(_mm256_shuffle_ps(x.v, y.v, 0xdd))};
    }
    DNNL_INLINE static i32 rounded_pairs(v even, v odd) {
#if defined(__AVX512BF16__)
        if constexpr (Isa::bf16_pairs) {
            // Zeros come out of subnormal numbers, which therefore take the other way.
            constexpr int subnormal = 0x20;
            const __mmask16 rare_even = _mm512_fpclass_ps_mask(even.v, subnormal);
            const __mmask16 rare_odd = _mm512_fpclass_ps_mask(odd.v, subnormal);
            if (__builtin_expect(_kortestz_mask16_u8(rare_even, rare_odd), 1))
                return converted(even, odd);
        }
#endif
        i32 low = rounded(even), high = rounded(odd);
        if (__builtin_expect(any(v::template compare<_CMP_UNORD_Q>(even, odd)), 0)) {
            low = with_quiet_nan(even, low);
            high = with_quiet_nan(odd, high);
        }
        return merge_halves<Isa>(shift_right<16>(low), high);
    }
#if defined(__AVX512BF16__)
    // In asm, as dot.hpp.
    DNNL_INLINE static i32 converted(v even, v odd) {
        alignas(64) static constexpr std::uint16_t in_turn[32] = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
            5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
        __m512i halves; // the elements of even places, then those of odd ones
        __asm__("vcvtne2ps2bf16 %2, %1, %0" : "=v"(halves) : "v"(odd.v), "v"(even.v));
        return {_mm512_permutexvar_epi16(_mm512_load_si512(in_turn), halves)};
    }
#endif
    // Rounded to nearest even in the high halves; anything in the low ones.
    DNNL_INLINE static i32 rounded(v x) {
        const i32 bits = as_s32(x);
        return bits + i32::set(0x7fff) + (shift_right<16>(bits) & i32::set(1));
    }
    DNNL_INLINE static i32 with_quiet_nan(v x, i32 bits) {
        return select(is_nan(x), as_s32(x) | i32::set(0x400000), bits);
    }
};

/// Pairs of vectors of f32 or bf16, and their halves, whichever elements these have.
template <class Isa, class T> struct pair_of { using type = even_odd<Isa>; };
template <class Isa> struct pair_of<Isa, f32> { using type = adjacent_pair<Isa>; };

template <class Isa> DNNL_INLINE vec<f32, Isa> first_half(const adjacent_pair<Isa> &x) {
    return x.first;
}
template <class Isa> DNNL_INLINE vec<f32, Isa> second_half(const adjacent_pair<Isa> &x) {
    return x.second;
}
template <class Isa> DNNL_INLINE vec<f32, Isa> first_half(const even_odd<Isa> &x) { return x.even; }
template <class Isa> DNNL_INLINE vec<f32, Isa> second_half(const even_odd<Isa> &x) { return x.odd; }

} // namespace dnnl::impl::cpu
