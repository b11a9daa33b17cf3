// SPDX-License-Identifier: Apache-2.0
// What the kernels of pooling compute with: blocks of a register of elements, exact quotients,
// elements of even and of odd places.
#pragma once

#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {

template <int N> struct number {};

// Floats are combined in f32, integers in s32. The lowest finite values:
template <class T> inline constexpr value_of<T> lowest = -0x1.fffffep+127f;
template <> inline constexpr f32 lowest<bf16> = -0x1.fep+127f;
template <> inline constexpr f32 lowest<f16> = -65504.0f;
template <> inline constexpr f32 lowest<code<data_type::f8_e5m2>> = -57344.0f;
template <> inline constexpr f32 lowest<code<data_type::f8_e4m3>> = -448.0f;
template <> inline constexpr s32 lowest<s32> = INT32_MIN;
template <> inline constexpr s32 lowest<s8> = -128;
template <> inline constexpr s32 lowest<u8> = 0;

/// The same where the type is known at run time only: of floats or of integers, as Value is.
template <class Value> DNNL_INLINE Value lowest_of(data_type type) {
    Value x {};
    with_activation(type, [&](auto element) {
        using T = decltype(element);
        if constexpr (is_whole<T> == is_whole<Value>) x = lowest<T>;
    });
    return x;
}

/// In the place of a type that is known at run time only: its elements are converted to Value by a
/// call. Types that are rare take less code so.
template <class Value> struct any_element {};
template <class T> struct element_traits {
    using value = value_of<T>;
    static constexpr bool any = false;
};
template <class Value> struct element_traits<any_element<Value>> {
    using value = Value;
    static constexpr bool any = true;
};
/// f32 or s32.
template <class T> using pool_value = typename element_traits<T>::value;
template <class T> inline constexpr bool is_any = element_traits<T>::any;

/// lowest of T, or of `type` where T is any_element.
template <class T> DNNL_INLINE pool_value<T> lowest_element(data_type type) {
    if constexpr (is_any<T>)
        return lowest_of<pool_value<T>>(type);
    else
        return lowest<T>;
}

/// The first min(n, size) lanes of elements from p[i] on, whose type is a float or an integer as
/// Value is.
template <class Isa, class Value>
[[gnu::noinline]] vec<Value, Isa> load_any(data_type type, const void *p, dim_t i, dim_t n) {
    auto x = vec<Value, Isa>::zero();
    with_activation(type, [&](auto element) {
        using T = decltype(element);
        if constexpr (is_whole<T> == is_whole<Value>)
            x = load_up_to<Isa, Value>(static_cast<const T *>(p) + i, n);
    });
    return x;
}
/// The same of elements of T, or of `type` where T is any_element.
template <class T> DNNL_INLINE const void *element_of(data_type type, const void *p, dim_t i) {
    if constexpr (is_any<T>)
        return static_cast<const char *>(p) + i * size_in_bytes(type);
    else
        return static_cast<const T *>(p) + i;
}
template <class Isa, class T>
DNNL_INLINE auto load_element(data_type type, const void *p, dim_t i, dim_t n) {
    if constexpr (is_any<T>)
        return load_any<Isa, pool_value<T>>(type, p, i, n);
    else
        return load_up_to<Isa, value_of<T>>(static_cast<const T *>(p) + i, n);
}

/// As many elements as a register holds, in f32: those of bf16 as the even and the odd ones, which
/// takes no shuffle.
template <class Isa, class T> struct pool_block;
template <class T> inline constexpr bool has_pool_block = __is_same(T, f32) || __is_same(T, bf16);

template <class Isa> struct pool_block<Isa, f32> {
    using v = vec<f32, Isa>;
    static constexpr int parts = 1;
    static constexpr dim_t size = v::size;
    v all;

    DNNL_INLINE static pool_block set(f32 x) { return {v::set(x)}; }
    DNNL_INLINE static pool_block load(const f32 *p) { return {v::load(p)}; }
    DNNL_INLINE void store_exact(f32 *p) const { all.store(p); }
    DNNL_INLINE void store_rounded(f32 *p) const { all.store(p); }
    template <class F> DNNL_INLINE pool_block map(const F &f) const { return {f(all)}; }
    DNNL_INLINE v lowest() const { return all; }
    DNNL_INLINE friend pool_block operator+(pool_block a, pool_block b) { return {a.all + b.all}; }
    DNNL_INLINE friend pool_block max(pool_block a, pool_block b) { return {max(a.all, b.all)}; }
    DNNL_INLINE friend pool_block min(pool_block a, pool_block b) { return {min(a.all, b.all)}; }
};

template <class Isa> struct pool_block<Isa, bf16> {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    static constexpr int parts = 2;
    static constexpr dim_t size = 2 * v::size;
    v even, odd;

    DNNL_INLINE static i32 high_halves() { return i32::set(static_cast<s32>(0xffff0000)); }
    DNNL_INLINE static pool_block set(f32 x) { return {v::set(x), v::set(x)}; }
    DNNL_INLINE static pool_block load(const bf16 *p) {
        const i32 pairs = i32::load(reinterpret_cast<const s32 *>(p));
        return {as_f32(shift_left<16>(pairs)), as_f32(pairs & high_halves())};
    }
    /// Values that bf16 holds.
    DNNL_INLINE void store_exact(bf16 *p) const {
        const i32 pairs = shift_right<16>(as_s32(even)) | (as_s32(odd) & high_halves());
        pairs.store(reinterpret_cast<s32 *>(p));
    }
    DNNL_INLINE void store_rounded(bf16 *p) const {
        const i32 pairs = bf16_bits<Isa>(even) | shift_left<16>(bf16_bits<Isa>(odd));
        pairs.store(reinterpret_cast<s32 *>(p));
    }
    template <class F> DNNL_INLINE pool_block map(const F &f) const { return {f(even), f(odd)}; }
    DNNL_INLINE v lowest() const { return min(even, odd); }
    DNNL_INLINE friend pool_block operator+(pool_block a, pool_block b) {
        return {a.even + b.even, a.odd + b.odd};
    }
    DNNL_INLINE friend pool_block max(pool_block a, pool_block b) {
        return {max(a.even, b.even), max(a.odd, b.odd)};
    }
    DNNL_INLINE friend pool_block min(pool_block a, pool_block b) {
        return {min(a.even, b.even), min(a.odd, b.odd)};
    }
};

/// x / divisor, rounded as a division is (divisors are at least 1): the quotient by the reciprocal,
/// and what is left of x. Infinities leave NaN, and are quotients already.
template <class Isa> struct pool_quotient {
    using v = vec<f32, Isa>;
    v divisor, reciprocal;
    DNNL_INLINE explicit pool_quotient(f32 d) : divisor(v::set(d)), reciprocal(v::set(1.0f / d)) {}
    DNNL_INLINE v operator()(v x) const {
        const v quotient = x * reciprocal, rest = fnma(quotient, divisor, x);
        return select(is_nan(rest), quotient, fma(rest, reciprocal, quotient));
    }
};

// ---- Elements of even and of odd places ----

template <class Isa> struct vector_pair { vec<f32, Isa> first, second; };
/// Of two vectors in a row.
template <class Isa>
requires(Isa::vector_bytes == 32) DNNL_INLINE vector_pair<Isa> even_and_odd(
    vec<f32, Isa> a, vec<f32, Isa> b) {
    const auto in_order = [](__m256 x) -> vec<f32, Isa> {
        return {_mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(x), 0xd8))};
    };
    return {
        in_order(_mm256_shuffle_ps(a.v, b.v, 0x88)), in_order(_mm256_shuffle_ps(a.v, b.v, 0xdd))};
}
/// The way back.
template <class Isa>
requires(Isa::vector_bytes == 32) DNNL_INLINE vector_pair<Isa> interleaved(
    vec<f32, Isa> even, vec<f32, Isa> odd) {
    const __m256 low = _mm256_unpacklo_ps(even.v, odd.v), high = _mm256_unpackhi_ps(even.v, odd.v);
    return {{_mm256_permute2f128_ps(low, high, 0x20)}, {_mm256_permute2f128_ps(low, high, 0x31)}};
}
#if defined(__AVX512F__)
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE vector_pair<Isa> even_and_odd(
    vec<f32, Isa> a, vec<f32, Isa> b) {
    using i32 = vec<s32, Isa>;
    const i32 even = shift_left<1>(i32::iota()), odd = even + i32::set(1);
    return {{_mm512_permutex2var_ps(a.v, even.v, b.v)}, {_mm512_permutex2var_ps(a.v, odd.v, b.v)}};
}
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE vector_pair<Isa> interleaved(
    vec<f32, Isa> even, vec<f32, Isa> odd) {
    using i32 = vec<s32, Isa>;
    const i32 place = i32::iota(), one = i32::set(1);
    const i32 low = shift_right<1>(place) | shift_left<4>(place & one), high = low + i32::set(8);
    return {{_mm512_permutex2var_ps(even.v, low.v, odd.v)},
        {_mm512_permutex2var_ps(even.v, high.v, odd.v)}};
}
#endif

} // namespace dnnl::impl::cpu
