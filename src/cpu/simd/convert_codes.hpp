// SPDX-License-Identifier: Apache-2.0
// Elements of at most 8 bits as codes: between the code in each s32 lane and its value. The
// rounding is to nearest even; what lies beyond the range and NaN go where
// common/layout/data_type.hpp says.
#pragma once

#include "cpu/simd/element_size.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

// Clamped to [low, high] and rounded to nearest even; NaN gives 0.
template <class Isa> DNNL_INLINE vec<s32, Isa> to_s32_clamped(vec<f32, Isa> x, f32 low, f32 high) {
    using v = vec<f32, Isa>;
    const vec<s32, Isa> rounded = to_s32_round(min(max(x, v::set(low)), v::set(high)));
    return select(is_nan(x), vec<s32, Isa>::zero(), rounded);
}

// A type with a sign, an exponent with a bias and MantissaBits, with subnormal values. Codes above
// Largest are not numbers; Beyond is the code of a value that is too large.
template <int MantissaBits, int Bias, int SignBit, int Largest, int Beyond, int Nan>
struct small_float {
    static constexpr int mantissa_bits = MantissaBits, sign_bit = SignBit;
    static constexpr int largest = Largest, beyond = Beyond, nan = Nan;
    static constexpr int dropped_bits = 23 - MantissaBits;
    static constexpr int exponent_shift = 127 - Bias;
    // Steps between subnormal values: 1 / steps_per_one.
    static constexpr f32 steps_per_one = static_cast<f32>(1 << (Bias + MantissaBits - 1));
};

template <data_type T> struct small_float_of;
template <>
struct small_float_of<data_type::f8_e5m2> : small_float<2, 15, 0x80, 0x7b, 0x7c, 0x7e> {};
template <>
struct small_float_of<data_type::f8_e4m3> : small_float<3, 7, 0x80, 0x7e, 0x7f, 0x7f> {};
template <> struct small_float_of<data_type::f4_e2m1> : small_float<1, 1, 8, 7, 7, 0> {};
template <> struct small_float_of<data_type::f4_e3m0> : small_float<0, 3, 8, 7, 7, 0> {};

template <class Isa, data_type T> DNNL_INLINE vec<f32, Isa> small_float_to_f32(vec<s32, Isa> c) {
    using format = small_float_of<T>;
    using i32 = vec<s32, Isa>;
    const i32 magnitude = c & i32::set(format::sign_bit - 1);
    const i32 sign =
        shift_left < format::sign_bit == 8 ? 28 : 24 > (c & i32::set(format::sign_bit));
    const i32 rebiased = magnitude + i32::set(format::exponent_shift << format::mantissa_bits);
    const i32 normal = shift_left<format::dropped_bits>(rebiased);
    const i32 subnormal =
        as_s32(to_f32(magnitude) * vec<f32, Isa>::set(1.0f / format::steps_per_one));
    i32 bits = select(magnitude < i32::set(1 << format::mantissa_bits), subnormal, normal);
    if constexpr (format::nan != 0) { // what follows the largest number: infinity and NaN, or NaN
        const i32 infinity = i32::set(0x7f800000);
        i32 special = shift_left<format::dropped_bits>(magnitude) | infinity;
        if constexpr (format::beyond == format::nan) special = i32::set(0x7fc00000);
        bits = select(magnitude > i32::set(format::largest), special, bits);
    }
    return as_f32(bits | sign);
}

template <class Isa, data_type T> DNNL_INLINE vec<s32, Isa> f32_to_small_float(vec<f32, Isa> x) {
    using format = small_float_of<T>;
    using i32 = vec<s32, Isa>;
    const i32 magnitude = as_s32(x) & i32::set(0x7fffffff);
    const i32 sign =
        shift_right < format::sign_bit == 8 ? 28 : 24 > (as_s32(x)) & i32::set(format::sign_bit);
    const i32 rebiased = magnitude - i32::set(format::exponent_shift << 23);
    const i32 odd = shift_right<format::dropped_bits>(rebiased) & i32::set(1);
    const i32 half = i32::set((1 << (format::dropped_bits - 1)) - 1);
    const i32 normal = shift_right<format::dropped_bits>(rebiased + half + odd);
    const i32 subnormal =
        to_s32_round(as_f32(magnitude) * vec<f32, Isa>::set(format::steps_per_one));
    i32 c = select(magnitude < i32::set((format::exponent_shift + 1) << 23), subnormal, normal);
    c = select(c > i32::set(format::largest), i32::set(format::beyond), c) | sign;
    const i32 of_nan = format::nan != 0 ? i32::set(format::nan) | sign : i32::zero();
    return select(is_nan(x), of_nan, c);
}

// Code c stands for 2^(c - 127), code 255 for NaN.
template <class Isa> DNNL_INLINE vec<f32, Isa> e8m0_to_f32(vec<s32, Isa> c) {
    using i32 = vec<s32, Isa>;
    const i32 bits = select(c == i32::zero(), i32::set(0x400000), shift_left<23>(c));
    return as_f32(select(c == i32::set(0xff), i32::set(0x7fc00000), bits));
}
// The integer comparison of subnormal values with 1.5 * 2^-127 does not depend on how the
// environment treats them.
template <class Isa> DNNL_INLINE vec<s32, Isa> f32_to_e8m0(vec<f32, Isa> x) {
    using i32 = vec<s32, Isa>;
    const i32 bits = as_s32(x), one = i32::set(1);
    const i32 rounded = shift_right<23>(bits + i32::set(0x3fffff) + (shift_right<23>(bits) & one));
    const i32 of_subnormal = select(bits > i32::set(0x600000), one, i32::zero());
    const i32 c = select(bits < i32::set(0x800000), of_subnormal, rounded);
    // As integers, -0 is the least value and all other negative ones are above it.
    const auto negative = (bits < i32::zero()) & (bits != i32::set(INT32_MIN));
    return select(negative | is_nan(x), i32::set(0xff), c);
}

// s4 (two's complement) and u4.
template <class Isa, data_type T> DNNL_INLINE vec<s32, Isa> code_to_s32(vec<s32, Isa> c) {
    static_assert(T == data_type::s4 || T == data_type::u4);
    const vec<s32, Isa> eight = vec<s32, Isa>::set(8);
    if constexpr (T == data_type::s4) return (c ^ eight) - eight;
    return c;
}
template <class Isa, data_type T> DNNL_INLINE vec<s32, Isa> s32_to_code(vec<s32, Isa> x) {
    static_assert(T == data_type::s4 || T == data_type::u4);
    using i32 = vec<s32, Isa>;
    constexpr s32 lowest = T == data_type::s4 ? -8 : 0;
    return min(max(x, i32::set(lowest)), i32::set(lowest + 15)) & i32::set(15);
}

template <class Isa, data_type T> DNNL_INLINE vec<f32, Isa> code_to_f32(vec<s32, Isa> c) {
    if constexpr (T == data_type::e8m0)
        return e8m0_to_f32<Isa>(c);
    else if constexpr (T == data_type::s4 || T == data_type::u4)
        return to_f32(code_to_s32<Isa, T>(c));
    else
        return small_float_to_f32<Isa, T>(c);
}
template <class Isa, data_type T> DNNL_INLINE vec<s32, Isa> f32_to_code(vec<f32, Isa> x) {
    if constexpr (T == data_type::e8m0)
        return f32_to_e8m0<Isa>(x);
    else if constexpr (T == data_type::s4)
        return to_s32_clamped<Isa>(x, -8.0f, 7.0f) & vec<s32, Isa>::set(15);
    else if constexpr (T == data_type::u4)
        return to_s32_clamped<Isa>(x, 0.0f, 15.0f);
    else
        return f32_to_small_float<Isa, T>(x);
}

} // namespace dnnl::impl::cpu
