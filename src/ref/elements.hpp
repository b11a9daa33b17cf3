// SPDX-License-Identifier: Apache-2.0
// The element types as C++ types, with their conversions to and from the types of computation:
// float, double and std::int32_t.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/layout/data_type.hpp"

namespace dnnl::impl::ref {

/// An element of at most 8 bits: f8, f4, e8m0, s4 or u4.
template <data_type type> struct coded { std::uint8_t code; };

inline float to_f32(float value) { return value; }
inline float to_f32(double value) { return static_cast<float>(value); }
inline float to_f32(bf16 value) { return std::bit_cast<float>(std::uint32_t {value.bits} << 16); }
inline float to_f32(f16 value) { return f16_to_f32(value.bits); }
inline float to_f32(std::int32_t value) { return static_cast<float>(value); }
template <data_type type> float to_f32(coded<type> value) { return code_to_f32(type, value.code); }

inline void assign(float &element, float value) { element = value; }
inline void assign(double &element, float value) { element = value; }
inline void assign(bf16 &element, float value) { element.bits = f32_to_bf16(value); }
inline void assign(f16 &element, float value) { element.bits = f32_to_f16(value); }
inline void assign(std::int32_t &element, float value) { element = f32_to_s32(value); }
inline void assign(std::int8_t &element, float value) { element = f32_to_s8(value); }
inline void assign(std::uint8_t &element, float value) { element = f32_to_u8(value); }
template <data_type type> void assign(coded<type> &element, float value) {
    element.code = f32_to_code(type, value);
}

/// Integers keep all their bits on the way into s32 and saturate on the way out.
template <class Element> inline constexpr bool is_int4_element = false;
template <data_type type> inline constexpr bool is_int4_element<coded<type>> = is_int4(type);
template <class Element>
inline constexpr bool is_integer_element = std::is_integral_v<Element> || is_int4_element<Element>;

template <class Element> std::int32_t to_s32(Element element) { return element; }
template <data_type type> std::int32_t to_s32(coded<type> element) {
    return code_to_s32(type, element.code);
}
template <class Element> void assign_saturated(Element &element, std::int32_t value) {
    using limits = std::numeric_limits<Element>;
    element = static_cast<Element>(std::clamp<std::int32_t>(value, limits::min(), limits::max()));
}
template <data_type type> void assign_saturated(coded<type> &element, std::int32_t value) {
    constexpr bool is_signed = type == data_type::s4;
    element.code = std::clamp(value, is_signed ? -8 : 0, is_signed ? 7 : 15) & 15;
}

template <class Value, class Element> Value load_as(const Element &element) {
    constexpr bool integer = is_integer_element<Element>;
    if constexpr (std::is_same_v<Value, Element>)
        return element;
    else if constexpr (integer && !std::is_same_v<Value, float>)
        return to_s32(element);
    else if constexpr (std::is_same_v<Value, std::int32_t>)
        return f32_to_s32(to_f32(element));
    else
        return to_f32(element);
}

template <class Value, class Element> void store_as(Element &element, Value value) {
    constexpr bool from_f64 = std::is_same_v<Value, double>;
    if constexpr (std::is_same_v<Element, double>)
        element = value;
    else if constexpr (from_f64 && std::is_same_v<Element, float>)
        element = static_cast<float>(value);
    else if constexpr (from_f64 && std::is_same_v<Element, std::int32_t>)
        element = f64_to_s32(value);
    else if constexpr (from_f64)
        assign(element, f64_to_f32_odd(value));
    else if constexpr (std::is_same_v<Value, std::int32_t> && is_integer_element<Element>)
        assign_saturated(element, value);
    else
        assign(element, to_f32(value));
}

/// A position in a buffer of 4-bit elements, used like a pointer.
template <class Element> class nibbles {
  public:
    explicit nibbles(void *data) : data_(static_cast<std::uint8_t *>(data)) {}
    nibbles &operator+=(dim_t elements) {
        first_ += elements;
        return *this;
    }
    nibbles operator+(dim_t elements) const { return nibbles(*this) += elements; }
    Element get(dim_t i) const { return {nibble_of(data_[(first_ + i) / 2], first_ + i)}; }
    void set(dim_t i, Element element) const { set_nibble(data_, first_ + i, element.code); }

  private:
    std::uint8_t *data_;
    dim_t first_ = 0;
};

/// Element i from a pointer, or from nibbles, and back.
template <class Value, class Element> Value load_element(const Element *elements, dim_t i) {
    return load_as<Value>(elements[i]);
}
template <class Value, class Element> Value load_element(nibbles<Element> elements, dim_t i) {
    return load_as<Value>(elements.get(i));
}
template <class Value, class Element> void store_element(Element *elements, dim_t i, Value value) {
    store_as(elements[i], value);
}
template <class Value, class Element>
void store_element(nibbles<Element> elements, dim_t i, Value value) {
    Element element;
    store_as(element, value);
    elements.set(i, element);
}

/// Calls body(pointer to elements of the C++ type of `dtype`), or body(nibbles).
template <class Body> decltype(auto) with_elements(data_type dtype, void *data, const Body &body) {
    using enum data_type;
    switch (dtype) {
    case data_type::bf16: return body(static_cast<impl::bf16 *>(data));
    case data_type::f16: return body(static_cast<impl::f16 *>(data));
    case data_type::s32: return body(static_cast<std::int32_t *>(data));
    case data_type::s8: return body(static_cast<std::int8_t *>(data));
    case data_type::u8: return body(static_cast<std::uint8_t *>(data));
    case f64: return body(static_cast<double *>(data));
    case f8_e5m2: return body(static_cast<coded<f8_e5m2> *>(data));
    case f8_e4m3: return body(static_cast<coded<f8_e4m3> *>(data));
    case e8m0: return body(static_cast<coded<e8m0> *>(data));
    case s4: return body(nibbles<coded<s4>>(data));
    case u4: return body(nibbles<coded<u4>>(data));
    case f4_e2m1: return body(nibbles<coded<f4_e2m1>>(data));
    case f4_e3m0: return body(nibbles<coded<f4_e3m0>>(data));
    default: return body(static_cast<float *>(data));
    }
}

} // namespace dnnl::impl::ref
