// SPDX-License-Identifier: Apache-2.0
// 256-bit vectors: 8 lanes of 32 bits. The operations are listed in vec.hpp.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

// All bits of a lane are set or clear.
template <class Isa> struct mask<Isa, 32> {
    __m256i v;
    DNNL_INLINE static mask first(dim_t n) {
        const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        return {_mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lane)};
    }
    DNNL_INLINE friend mask operator&(mask a, mask b) { return {_mm256_and_si256(a.v, b.v)}; }
    DNNL_INLINE friend mask operator|(mask a, mask b) { return {_mm256_or_si256(a.v, b.v)}; }
    DNNL_INLINE friend mask operator~(mask a) {
        return {_mm256_xor_si256(a.v, _mm256_set1_epi32(-1))};
    }
    DNNL_INLINE friend bool any(mask a) { return !_mm256_testz_si256(a.v, a.v); }
    DNNL_INLINE friend bool all(mask a) {
        return _mm256_movemask_ps(_mm256_castsi256_ps(a.v)) == 0xff;
    }
};

template <class Isa> struct vec<s32, Isa, 32> {
    using element = s32;
    static constexpr int size = 8;
    using lanes = mask<Isa, 32>;
    __m256i v;

    DNNL_INLINE static vec zero() { return {_mm256_setzero_si256()}; }
    DNNL_INLINE static vec set(s32 x) { return {_mm256_set1_epi32(x)}; }
    DNNL_INLINE static vec iota() { return {_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)}; }
    DNNL_INLINE static vec load(const s32 *p, all_lanes = {}) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p))};
    }
    DNNL_INLINE static vec load(const s32 *p, dim_t n) {
        return {_mm256_maskload_epi32(p, lanes::first(n).v)};
    }
    DNNL_INLINE void store(s32 *p, all_lanes = {}) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(p), v);
    }
    DNNL_INLINE void store(s32 *p, dim_t n) const {
        if (n >= size) return store(p); // the reason is that of f32
        _mm256_maskstore_epi32(p, lanes::first(n).v, v);
    }

    DNNL_INLINE friend vec operator+(vec a, vec b) { return {_mm256_add_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec operator-(vec a, vec b) { return {_mm256_sub_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec operator*(vec a, vec b) { return {_mm256_mullo_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec operator&(vec a, vec b) { return {_mm256_and_si256(a.v, b.v)}; }
    DNNL_INLINE friend vec operator|(vec a, vec b) { return {_mm256_or_si256(a.v, b.v)}; }
    DNNL_INLINE friend vec operator^(vec a, vec b) { return {_mm256_xor_si256(a.v, b.v)}; }
    DNNL_INLINE friend vec min(vec a, vec b) { return {_mm256_min_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec max(vec a, vec b) { return {_mm256_max_epi32(a.v, b.v)}; }

    DNNL_INLINE friend lanes operator==(vec a, vec b) { return {_mm256_cmpeq_epi32(a.v, b.v)}; }
    DNNL_INLINE friend lanes operator!=(vec a, vec b) { return ~(a == b); }
    DNNL_INLINE friend lanes operator>(vec a, vec b) { return {_mm256_cmpgt_epi32(a.v, b.v)}; }
    DNNL_INLINE friend lanes operator<(vec a, vec b) { return b > a; }
    DNNL_INLINE friend lanes operator>=(vec a, vec b) { return ~(b > a); }
    DNNL_INLINE friend lanes operator<=(vec a, vec b) { return ~(a > b); }
    DNNL_INLINE friend vec select(lanes m, vec a, vec b) {
        return {_mm256_blendv_epi8(b.v, a.v, m.v)};
    }
};

template <int N, class Isa> DNNL_INLINE vec<s32, Isa, 32> shift_left(vec<s32, Isa, 32> a) {
    return {_mm256_slli_epi32(a.v, N)};
}
template <int N, class Isa> DNNL_INLINE vec<s32, Isa, 32> shift_right(vec<s32, Isa, 32> a) {
    return {_mm256_srli_epi32(a.v, N)};
}
template <int N, class Isa> DNNL_INLINE vec<s32, Isa, 32> shift_right_signed(vec<s32, Isa, 32> a) {
    return {_mm256_srai_epi32(a.v, N)};
}
template <class Isa> DNNL_INLINE s32 reduce_add(vec<s32, Isa, 32> a) {
    const __m128i four =
        _mm_add_epi32(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
    const __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}

template <class Isa> struct vec<f32, Isa, 32> {
    using element = f32;
    static constexpr int size = 8;
    using lanes = mask<Isa, 32>;
    using integers = vec<s32, Isa, 32>;
    __m256 v;

    DNNL_INLINE static vec zero() { return {_mm256_setzero_ps()}; }
    DNNL_INLINE static vec set(f32 x) { return {_mm256_set1_ps(x)}; }
    DNNL_INLINE static vec load(const f32 *p, all_lanes = {}) { return {_mm256_loadu_ps(p)}; }
    DNNL_INLINE static vec load(const f32 *p, dim_t n) {
        return {_mm256_maskload_ps(p, lanes::first(n).v)};
    }
    DNNL_INLINE static vec gather(const f32 *p, integers i) {
        return {_mm256_i32gather_ps(p, i.v, 4)};
    }
    DNNL_INLINE void store(f32 *p, all_lanes = {}) const { _mm256_storeu_ps(p, v); }
    // A store with a mask takes some 40 cycles on AMD's processors, also with all lanes.
    DNNL_INLINE void store(f32 *p, dim_t n) const {
        if (n >= size) return store(p);
        _mm256_maskstore_ps(p, lanes::first(n).v, v);
    }

    DNNL_INLINE friend vec operator+(vec a, vec b) { return {_mm256_add_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator-(vec a, vec b) { return {_mm256_sub_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator*(vec a, vec b) { return {_mm256_mul_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator/(vec a, vec b) { return {_mm256_div_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator-(vec a) { return {_mm256_xor_ps(a.v, _mm256_set1_ps(-0.0f))}; }
    DNNL_INLINE friend vec fma(vec a, vec b, vec c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
    DNNL_INLINE friend vec fnma(vec a, vec b, vec c) { return {_mm256_fnmadd_ps(a.v, b.v, c.v)}; }
    DNNL_INLINE friend vec min(vec a, vec b) { return {_mm256_min_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec max(vec a, vec b) { return {_mm256_max_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec abs(vec a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)}; }
    DNNL_INLINE friend vec sqrt(vec a) { return {_mm256_sqrt_ps(a.v)}; }
    DNNL_INLINE friend vec round_even(vec a) {
        return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
    }
    DNNL_INLINE friend vec floor(vec a) {
        return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
    }
    DNNL_INLINE friend vec truncate(vec a) {
        return {_mm256_round_ps(a.v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
    }
    DNNL_INLINE friend vec copy_sign(vec magnitude, vec sign) {
        const __m256 sign_bit = _mm256_set1_ps(-0.0f);
        return {
            _mm256_or_ps(_mm256_andnot_ps(sign_bit, magnitude.v), _mm256_and_ps(sign_bit, sign.v))};
    }

    template <int Predicate> DNNL_INLINE static lanes compare(vec a, vec b) {
        return {_mm256_castps_si256(_mm256_cmp_ps(a.v, b.v, Predicate))};
    }
    DNNL_INLINE friend lanes operator<(vec a, vec b) { return compare<_CMP_LT_OQ>(a, b); }
    DNNL_INLINE friend lanes operator<=(vec a, vec b) { return compare<_CMP_LE_OQ>(a, b); }
    DNNL_INLINE friend lanes operator>(vec a, vec b) { return compare<_CMP_GT_OQ>(a, b); }
    DNNL_INLINE friend lanes operator>=(vec a, vec b) { return compare<_CMP_GE_OQ>(a, b); }
    DNNL_INLINE friend lanes operator==(vec a, vec b) { return compare<_CMP_EQ_OQ>(a, b); }
    DNNL_INLINE friend lanes operator!=(vec a, vec b) { return compare<_CMP_NEQ_UQ>(a, b); }
    DNNL_INLINE friend lanes is_nan(vec a) { return compare<_CMP_UNORD_Q>(a, a); }
    DNNL_INLINE friend vec select(lanes m, vec a, vec b) {
        return {_mm256_blendv_ps(b.v, a.v, _mm256_castsi256_ps(m.v))};
    }
    DNNL_INLINE friend vec min_nan(vec a, vec b) { return select(is_nan(a), a, min(a, b)); }
    DNNL_INLINE friend vec max_nan(vec a, vec b) { return select(is_nan(a), a, max(a, b)); }

    DNNL_INLINE friend integers as_s32(vec a) { return {_mm256_castps_si256(a.v)}; }
    DNNL_INLINE friend integers to_s32_round(vec a) { return {_mm256_cvtps_epi32(a.v)}; }
    DNNL_INLINE friend integers to_s32_saturate(vec a) {
        const integers rounded = to_s32_round(a); // INT32_MIN outside the range and for NaN
        const integers no_nan = select(is_nan(a), integers::zero(), rounded);
        return select(a >= set(2147483648.0f), integers::set(INT32_MAX), no_nan);
    }
};

template <class Isa> DNNL_INLINE vec<f32, Isa, 32> as_f32(vec<s32, Isa, 32> a) {
    return {_mm256_castsi256_ps(a.v)};
}
template <class Isa> DNNL_INLINE vec<f32, Isa, 32> to_f32(vec<s32, Isa, 32> a) {
    return {_mm256_cvtepi32_ps(a.v)};
}
template <class Isa> DNNL_INLINE f32 reduce_add(vec<f32, Isa, 32> a) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
template <class Isa> DNNL_INLINE f32 reduce_max(vec<f32, Isa, 32> a) {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
template <class Isa> DNNL_INLINE f32 reduce_min(vec<f32, Isa, 32> a) {
    const __m128 four = _mm_min_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    const __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)));
}

} // namespace dnnl::impl::cpu
