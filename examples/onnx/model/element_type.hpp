// SPDX-License-Identifier: Apache-2.0
// The types of elements that tensors of ONNX have, and how code is written once for all of them.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

namespace dnnl_onnx {

/// Numbered like TensorProto.DataType.
enum class element_type : std::int32_t {
    undefined = 0,
    f32 = 1,
    u8 = 2,
    s8 = 3,
    u16 = 4,
    s16 = 5,
    s32 = 6,
    s64 = 7,
    string = 8,
    boolean = 9,
    f16 = 10,
    f64 = 11,
    u32 = 12,
    u64 = 13,
    c64 = 14,
    c128 = 15,
    bf16 = 16,
};

/// The name as it is written in messages: "f32".
const char *name_of(element_type type);
/// Bytes of an element; 0 where this program has no tensors of the type (strings, complex numbers).
std::size_t size_of(element_type type);

constexpr bool is_float(element_type type) {
    return type == element_type::f32 || type == element_type::f16 || type == element_type::bf16 ||
           type == element_type::f64;
}

/// Numbers of 16 bits that are computed with as f32. Conversions round to nearest, ties to even.
struct half {
    std::uint16_t bits = 0;
    half() = default;
    half(float value);
    operator float() const;
};

struct bfloat16 {
    std::uint16_t bits = 0;
    bfloat16() = default;
    bfloat16(float value);
    operator float() const { return std::bit_cast<float>(std::uint32_t(bits) << 16); }
};

template <class T> struct type_tag { using type = T; };

/// Calls function(type_tag<T>()) with the C++ type of elements of this type; an error names what
/// asked, where there is none.
[[noreturn]] void no_such_type(element_type type);

template <class F> decltype(auto) with_number(element_type type, F &&function) {
    switch (type) {
    case element_type::f32: return function(type_tag<float>());
    case element_type::f64: return function(type_tag<double>());
    case element_type::f16: return function(type_tag<half>());
    case element_type::bf16: return function(type_tag<bfloat16>());
    case element_type::u8: return function(type_tag<std::uint8_t>());
    case element_type::s8: return function(type_tag<std::int8_t>());
    case element_type::u16: return function(type_tag<std::uint16_t>());
    case element_type::s16: return function(type_tag<std::int16_t>());
    case element_type::u32: return function(type_tag<std::uint32_t>());
    case element_type::s32: return function(type_tag<std::int32_t>());
    case element_type::u64: return function(type_tag<std::uint64_t>());
    case element_type::s64: return function(type_tag<std::int64_t>());
    case element_type::boolean: return function(type_tag<bool>());
    default: no_such_type(type);
    }
}

/// Calls function(type_tag<T>()) with an unsigned integer of the size of an element: for code that
/// moves elements and does not look at them.
template <class F> decltype(auto) with_bits(element_type type, F &&function) {
    switch (size_of(type)) {
    case 1: return function(type_tag<std::uint8_t>());
    case 2: return function(type_tag<std::uint16_t>());
    case 4: return function(type_tag<std::uint32_t>());
    case 8: return function(type_tag<std::uint64_t>());
    default: no_such_type(type);
    }
}

/// The type in which arithmetic on T is done: f32 for numbers of 16 bits, T itself for others.
template <class T>
using arithmetic_type =
    std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;

/// A number in another type; one that an integer cannot hold becomes its nearest, and NaN 0.
template <class R, class A> R number_as(A x) {
    if constexpr (std::is_integral_v<R> && !std::is_same_v<R, bool> &&
                  std::is_floating_point_v<A>) {
        if (x != x) return R(0);
        if (x >= A(std::numeric_limits<R>::max())) return std::numeric_limits<R>::max();
        if (x <= A(std::numeric_limits<R>::lowest())) return std::numeric_limits<R>::lowest();
    }
    return R(x);
}

/// A sum, difference or product (by std::plus, std::minus, std::multiplies) in the type A; integers
/// wrap around.
template <class A, class F> A wrapping(A x, A y, F &&function) {
    if constexpr (std::is_integral_v<A> && !std::is_same_v<A, bool>) {
        using wide = std::uint64_t; // products of shorter types would be of int
        return A(function(wide(x), wide(y)));
    } else {
        return A(function(x, y));
    }
}
template <class A> A sum_of(A x, A y) { return wrapping(x, y, std::plus()); }
template <class A> A difference_of(A x, A y) { return wrapping(x, y, std::minus()); }
template <class A> A product_of(A x, A y) { return wrapping(x, y, std::multiplies()); }

/// A sum over its count of summands; integers are cut towards 0, and no summands have the mean 0.
template <class A> A mean_of(A sum, std::int64_t count) {
    if constexpr (std::is_floating_point_v<A>)
        return sum / A(count);
    else if (count == 0)
        return A(0);
    else
        return std::is_signed_v<A> ? A(std::int64_t(sum) / count)
                                   : A(std::uint64_t(sum) / std::uint64_t(count));
}

template <class T> constexpr bool is_float_type = std::is_floating_point_v<arithmetic_type<T>>;

} // namespace dnnl_onnx
