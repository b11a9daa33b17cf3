// SPDX-License-Identifier: Apache-2.0
// The element types that kernels read and write, and their sizes.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

/// An element of at most 8 bits that is no C++ integer: storage only, converted to f32 or s32 to
/// compute. Kernels have those of 4 bits one per byte, in its low half.
template <data_type Type> struct code {
    static constexpr data_type type = Type;
    u8 bits;
};

/// The type of an element that kernels compute with.
template <class T> inline constexpr data_type type_of = data_type::f32;
template <> inline constexpr data_type type_of<bf16> = data_type::bf16;
template <> inline constexpr data_type type_of<f16> = data_type::f16;
template <> inline constexpr data_type type_of<s32> = data_type::s32;
template <> inline constexpr data_type type_of<s8> = data_type::s8;
template <> inline constexpr data_type type_of<u8> = data_type::u8;

/// s32 or narrower: values that pass without rounding through s32.
DNNL_INLINE constexpr bool is_integer_type(data_type type) {
    return type == data_type::s32 || type == data_type::s8 || type == data_type::u8 ||
           type == data_type::s4 || type == data_type::u4;
}

/// What elements of type T are computed in: s32 where they are s32, s8 or u8, else f32.
template <class T>
inline constexpr bool is_whole = __is_same(T, s32) || __is_same(T, s8) || __is_same(T, u8);
template <bool Whole> struct computed_type { using type = f32; };
template <> struct computed_type<true> { using type = s32; };
template <class T> using value_of = typename computed_type<is_whole<T>>::type;

/// Calls f(T {}), T being the element type of memory of `type`, one of the types of activations:
/// f32 bf16 f16 s32 s8 u8 f8_e5m2 f8_e4m3.
template <class F> DNNL_INLINE void with_activation(data_type type, const F &f) {
    switch (type) {
    case data_type::bf16: return f(bf16 {});
    case data_type::f16: return f(f16 {});
    case data_type::s32: return f(s32 {});
    case data_type::s8: return f(s8 {});
    case data_type::u8: return f(u8 {});
    case data_type::f8_e5m2: return f(code<data_type::f8_e5m2> {});
    case data_type::f8_e4m3: return f(code<data_type::f8_e4m3> {});
    default: return f(f32 {});
    }
}
/// The same for any type but f64 and boolean.
template <class F> DNNL_INLINE void with_element(data_type type, const F &f) {
    switch (type) {
    case data_type::e8m0: return f(code<data_type::e8m0> {});
    case data_type::f4_e2m1: return f(code<data_type::f4_e2m1> {});
    case data_type::f4_e3m0: return f(code<data_type::f4_e3m0> {});
    case data_type::s4: return f(code<data_type::s4> {});
    case data_type::u4: return f(code<data_type::u4> {});
    default: return with_activation(type, f);
    }
}

} // namespace dnnl::impl::cpu
