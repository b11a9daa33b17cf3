// SPDX-License-Identifier: Apache-2.0
// 512-bit vectors: 16 lanes of 32 bits. The operations are listed in vec.hpp.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

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

template <class Isa> struct vec<s32, Isa, 64> {
    using element = s32;
    static constexpr int size = 16;
    using lanes = mask<Isa, 64>;
    __m512i v;

    DNNL_INLINE static vec zero() { return {_mm512_setzero_si512()}; }
    DNNL_INLINE static vec set(s32 x) { return {_mm512_set1_epi32(x)}; }
    DNNL_INLINE static vec iota() {
        return {_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)};
    }
    DNNL_INLINE static vec load(const s32 *p, all_lanes = {}) { return {_mm512_loadu_si512(p)}; }
    DNNL_INLINE static vec load(const s32 *p, lanes m) {
        return {_mm512_maskz_loadu_epi32(m.v, p)};
    }
    DNNL_INLINE static vec load(const s32 *p, dim_t n) { return load(p, lanes::first(n)); }
    DNNL_INLINE void store(s32 *p, all_lanes = {}) const { _mm512_storeu_si512(p, v); }
    DNNL_INLINE void store(s32 *p, lanes m) const { _mm512_mask_storeu_epi32(p, m.v, v); }
    DNNL_INLINE void store(s32 *p, dim_t n) const { store(p, lanes::first(n)); }

    DNNL_INLINE friend vec operator+(vec a, vec b) { return {_mm512_add_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec operator-(vec a, vec b) { return {_mm512_sub_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec operator*(vec a, vec b) { return {_mm512_mullo_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec operator&(vec a, vec b) { return {_mm512_and_si512(a.v, b.v)}; }
    DNNL_INLINE friend vec operator|(vec a, vec b) { return {_mm512_or_si512(a.v, b.v)}; }
    DNNL_INLINE friend vec operator^(vec a, vec b) { return {_mm512_xor_si512(a.v, b.v)}; }
    DNNL_INLINE friend vec min(vec a, vec b) { return {_mm512_min_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec max(vec a, vec b) { return {_mm512_max_epi32(a.v, b.v)}; }

    DNNL_INLINE friend lanes operator==(vec a, vec b) {
        return {_mm512_cmpeq_epi32_mask(a.v, b.v)};
    }
    DNNL_INLINE friend lanes operator!=(vec a, vec b) {
        return {_mm512_cmpneq_epi32_mask(a.v, b.v)};
    }
    DNNL_INLINE friend lanes operator>(vec a, vec b) { return {_mm512_cmpgt_epi32_mask(a.v, b.v)}; }
    DNNL_INLINE friend lanes operator<(vec a, vec b) { return b > a; }
    DNNL_INLINE friend lanes operator>=(vec a, vec b) {
        return {_mm512_cmpge_epi32_mask(a.v, b.v)};
    }
    DNNL_INLINE friend lanes operator<=(vec a, vec b) { return b >= a; }
    DNNL_INLINE friend vec select(lanes m, vec a, vec b) {
        return {_mm512_mask_blend_epi32(m.v, b.v, a.v)};
    }
};

template <int N, class Isa> DNNL_INLINE vec<s32, Isa, 64> shift_left(vec<s32, Isa, 64> a) {
    return {_mm512_slli_epi32(a.v, N)};
}
template <int N, class Isa> DNNL_INLINE vec<s32, Isa, 64> shift_right(vec<s32, Isa, 64> a) {
    return {_mm512_srli_epi32(a.v, N)};
}
template <int N, class Isa> DNNL_INLINE vec<s32, Isa, 64> shift_right_signed(vec<s32, Isa, 64> a) {
    return {_mm512_srai_epi32(a.v, N)};
}
template <class Isa> DNNL_INLINE s32 reduce_add(vec<s32, Isa, 64> a) {
    const vec<s32, Isa, 32> eight {
        _mm256_add_epi32(_mm512_castsi512_si256(a.v), _mm512_extracti64x4_epi64(a.v, 1))};
    return reduce_add(eight);
}

template <class Isa> struct vec<f32, Isa, 64> {
    using element = f32;
    static constexpr int size = 16;
    using lanes = mask<Isa, 64>;
    using integers = vec<s32, Isa, 64>;
    __m512 v;

    DNNL_INLINE static vec zero() { return {_mm512_setzero_ps()}; }
    DNNL_INLINE static vec set(f32 x) { return {_mm512_set1_ps(x)}; }
    DNNL_INLINE static vec load(const f32 *p, all_lanes = {}) { return {_mm512_loadu_ps(p)}; }
    DNNL_INLINE static vec load(const f32 *p, lanes m) { return {_mm512_maskz_loadu_ps(m.v, p)}; }
    DNNL_INLINE static vec load(const f32 *p, dim_t n) { return load(p, lanes::first(n)); }
    DNNL_INLINE static vec gather(const f32 *p, integers i) {
        return {_mm512_i32gather_ps(i.v, p, 4)};
    }
    DNNL_INLINE void store(f32 *p, all_lanes = {}) const { _mm512_storeu_ps(p, v); }
    DNNL_INLINE void store(f32 *p, lanes m) const { _mm512_mask_storeu_ps(p, m.v, v); }
    DNNL_INLINE void store(f32 *p, dim_t n) const { store(p, lanes::first(n)); }

    DNNL_INLINE friend vec operator+(vec a, vec b) { return {_mm512_add_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator-(vec a, vec b) { return {_mm512_sub_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator*(vec a, vec b) { return {_mm512_mul_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator/(vec a, vec b) { return {_mm512_div_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator-(vec a) { return {_mm512_xor_ps(a.v, _mm512_set1_ps(-0.0f))}; }
    DNNL_INLINE friend vec fma(vec a, vec b, vec c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
    DNNL_INLINE friend vec fnma(vec a, vec b, vec c) { return {_mm512_fnmadd_ps(a.v, b.v, c.v)}; }
    DNNL_INLINE friend vec min(vec a, vec b) { return {_mm512_min_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec max(vec a, vec b) { return {_mm512_max_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec abs(vec a) { return {_mm512_andnot_ps(_mm512_set1_ps(-0.0f), a.v)}; }
    DNNL_INLINE friend vec sqrt(vec a) { return {_mm512_sqrt_ps(a.v)}; }
    DNNL_INLINE friend vec round_even(vec a) {
        return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
    }
    DNNL_INLINE friend vec floor(vec a) {
        return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
    }
    DNNL_INLINE friend vec truncate(vec a) {
        return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
    }
    DNNL_INLINE friend vec copy_sign(vec magnitude, vec sign) {
        const __m512 sign_bit = _mm512_set1_ps(-0.0f);
        return {
            _mm512_or_ps(_mm512_andnot_ps(sign_bit, magnitude.v), _mm512_and_ps(sign_bit, sign.v))};
    }

    template <int Predicate> DNNL_INLINE static lanes compare(vec a, vec b) {
        return {_mm512_cmp_ps_mask(a.v, b.v, Predicate)};
    }
    DNNL_INLINE friend lanes operator<(vec a, vec b) { return compare<_CMP_LT_OQ>(a, b); }
    DNNL_INLINE friend lanes operator<=(vec a, vec b) { return compare<_CMP_LE_OQ>(a, b); }
    DNNL_INLINE friend lanes operator>(vec a, vec b) { return compare<_CMP_GT_OQ>(a, b); }
    DNNL_INLINE friend lanes operator>=(vec a, vec b) { return compare<_CMP_GE_OQ>(a, b); }
    DNNL_INLINE friend lanes operator==(vec a, vec b) { return compare<_CMP_EQ_OQ>(a, b); }
    DNNL_INLINE friend lanes operator!=(vec a, vec b) { return compare<_CMP_NEQ_UQ>(a, b); }
    DNNL_INLINE friend lanes is_nan(vec a) { return compare<_CMP_UNORD_Q>(a, a); }
    DNNL_INLINE friend vec select(lanes m, vec a, vec b) {
        return {_mm512_mask_blend_ps(m.v, b.v, a.v)};
    }
    DNNL_INLINE friend vec min_nan(vec a, vec b) { return select(is_nan(a), a, min(a, b)); }
    DNNL_INLINE friend vec max_nan(vec a, vec b) { return select(is_nan(a), a, max(a, b)); }

    DNNL_INLINE friend integers as_s32(vec a) { return {_mm512_castps_si512(a.v)}; }
    DNNL_INLINE friend integers to_s32_round(vec a) { return {_mm512_cvtps_epi32(a.v)}; }
    DNNL_INLINE friend integers to_s32_saturate(vec a) {
        const integers rounded = to_s32_round(a); // INT32_MIN outside the range and for NaN
        const integers no_nan = select(is_nan(a), integers::zero(), rounded);
        return select(a >= set(2147483648.0f), integers::set(INT32_MAX), no_nan);
    }
};

template <class Isa> DNNL_INLINE vec<f32, Isa, 64> as_f32(vec<s32, Isa, 64> a) {
    return {_mm512_castsi512_ps(a.v)};
}
template <class Isa> DNNL_INLINE vec<f32, Isa, 64> to_f32(vec<s32, Isa, 64> a) {
    return {_mm512_cvtepi32_ps(a.v)};
}
template <class Isa> DNNL_INLINE vec<f32, Isa, 32> low_half(vec<f32, Isa, 64> a) {
    return {_mm512_castps512_ps256(a.v)};
}
template <class Isa> DNNL_INLINE vec<f32, Isa, 32> high_half(vec<f32, Isa, 64> a) {
    return {_mm512_extractf32x8_ps(a.v, 1)};
}
template <class Isa> DNNL_INLINE f32 reduce_add(vec<f32, Isa, 64> a) {
    return reduce_add(low_half(a) + high_half(a));
}
template <class Isa> DNNL_INLINE f32 reduce_max(vec<f32, Isa, 64> a) {
    return reduce_max(max(low_half(a), high_half(a)));
}
template <class Isa> DNNL_INLINE f32 reduce_min(vec<f32, Isa, 64> a) {
    return reduce_min(min(low_half(a), high_half(a)));
}

} // namespace dnnl::impl::cpu
