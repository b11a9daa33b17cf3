// SPDX-License-Identifier: Apache-2.0
// What kernels of pooling compute with: elements of types known at run time only, and quotients.
#pragma once

#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {

template <int N> struct number {};

template <class T> DNNL_INLINE const T *at(const void *base, dim_t bytes, dim_t element = 0) {
    return reinterpret_cast<const T *>(static_cast<const char *>(base) + bytes) + element;
}

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
    using exact = T; // holds every element
    static constexpr bool any = false;
};
template <class Value> struct element_traits<any_element<Value>> {
    using value = Value;
    using exact = Value;
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

/// The first min(n, size) lanes of elements from p[i] on, of floats or integers as Value is.
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

/// x / divisor, rounded as a division is where reciprocal is 1 / divisor, rounded, and divisor at
/// least 1: x times the reciprocal, corrected by what it leaves of x. An infinite x leaves NaN, and
/// the product is the quotient already.
template <class V> DNNL_INLINE V corrected_quotient(V x, V divisor, V reciprocal) {
    const V quotient = x * reciprocal, rest = fnma(quotient, divisor, x);
    return select(is_nan(rest), quotient, fma(rest, reciprocal, quotient));
}
/// The same by one divisor for all lanes.
template <class Isa> struct pool_quotient {
    using v = vec<f32, Isa>;
    v divisor, reciprocal;
    DNNL_INLINE explicit pool_quotient(f32 d) : divisor(v::set(d)), reciprocal(v::set(1.0f / d)) {}
    DNNL_INLINE v operator()(v x) const { return corrected_quotient(x, divisor, reciprocal); }
};

} // namespace dnnl::impl::cpu
