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
    DNNL_INLINE void store(bf16 *p) const {
        rounded_pairs(even, odd).store(reinterpret_cast<s32 *>(p));
    }
    /// f of each element.
    template <class F> DNNL_INLINE even_odd map(const F &f) const { return {f(even), f(odd)}; }
    template <class F> DNNL_INLINE even_odd map(const F &f, const even_odd &y) const {
        return {f(even, y.even), f(odd, y.odd)};
    }

  private:
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

} // namespace dnnl::impl::cpu
