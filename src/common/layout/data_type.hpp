// SPDX-License-Identifier: Apache-2.0
// Element types: sizes, names, limits and exact conversions, which round to nearest even and
// saturate to the range; NaN converted to an integer gives 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/plain_types.hpp"

namespace dnnl::impl {

/// Bytes of one element; (size_t)-1 for undef and unknown types. 4-bit types report 1, although two
/// elements share a byte: the one with the even index has the low four bits.
std::size_t size_of(data_type dtype);
/// "f32", "bf16", ... as in the verbose lines; "undef" for undef and unknown values.
const char *name_of(data_type dtype);

constexpr bool is_integer(data_type t) {
    return t == data_type::s32 || t == data_type::s8 || t == data_type::u8 || t == data_type::s4 ||
           t == data_type::u4;
}
constexpr bool is_int8(data_type t) { return t == data_type::s8 || t == data_type::u8; }
/// f32, bf16 or f16.
constexpr bool is_float(data_type t) {
    return t == data_type::f32 || t == data_type::bf16 || t == data_type::f16;
}
constexpr bool is_f8(data_type t) { return t == data_type::f8_e5m2 || t == data_type::f8_e4m3; }
constexpr bool is_f4(data_type t) { return t == data_type::f4_e2m1 || t == data_type::f4_e3m0; }
constexpr bool is_int4(data_type t) { return t == data_type::s4 || t == data_type::u4; }
/// Two elements per byte.
constexpr bool is_4bit(data_type t) { return is_int4(t) || is_f4(t); }
/// The types of scales.
constexpr bool is_scale_type(data_type t) {
    return is_float(t) || t == data_type::e8m0 || t == data_type::f8_e4m3;
}
/// One of f32, bf16, f16, s32, s8, u8: the types of the vectorised rows.
constexpr bool is_common(data_type t) { return is_float(t) || t == data_type::s32 || is_int8(t); }
/// The types of most reference rows.
constexpr bool is_common_or_f8(data_type t) { return is_common(t) || is_f8(t); }

/// Exact widening.
float bf16_to_f32(std::uint16_t bits);
float f16_to_f32(std::uint16_t bits);
/// Round to nearest even; NaN stays a (quiet) NaN, overflow gives infinity.
std::uint16_t f32_to_bf16(float value);
std::uint16_t f32_to_f16(float value);
/// Round half to even, saturate, NaN gives 0.
std::int32_t f32_to_s32(float value);
std::int8_t f32_to_s8(float value);
std::uint8_t f32_to_u8(float value);
std::int32_t f64_to_s32(double value);

/// Elements of at most 8 bits as codes, the bits of one element in the low bits of a byte: f8, f4,
/// e8m0, s4 and u4. Exact widening.
float code_to_f32(data_type dtype, std::uint8_t code);
/// Round to nearest even. Beyond the range: f8_e5m2 gives infinity, f8_e4m3 and e8m0 NaN; f4, s4
/// and u4, which have neither, saturate, and give 0 for NaN. e8m0, which has neither sign nor zero,
/// gives NaN for negative values and 2^-127 for what lies below it.
std::uint8_t f32_to_code(data_type dtype, float value);
/// s4 (two's complement) and u4.
constexpr std::int32_t code_to_s32(data_type dtype, std::uint8_t code) {
    return dtype == data_type::s4 ? ((code & 15) ^ 8) - 8 : code & 15;
}
/// The nearest f32, or, when there is none, the neighbour with an odd last bit; never infinite for
/// a finite value. Rounding that once more, to a type narrower by two bits, rounds as if at once.
float f64_to_f32_odd(double value);

/// One of the two elements of a byte, chosen by the parity of its index.
constexpr std::uint8_t nibble_of(std::uint8_t pair, dim_t index) {
    return index % 2 ? pair >> 4 : pair & 15;
}
/// Replaces 4-bit element `index` of a buffer; another thread may replace its neighbour meanwhile.
void set_nibble(void *buffer, dim_t index, std::uint8_t code);

/// Element `index` of a buffer as f32; an s32 beyond 2^24 is rounded to nearest even.
float load_f32(data_type dtype, const void *buffer, dim_t index);
/// Stores a value with the conversion rules above.
void store_f32(data_type dtype, void *buffer, dim_t index, float value);
/// Element `index` of an integer buffer (s32, s8, u8, s4, u4), exactly.
std::int32_t load_s32(data_type dtype, const void *buffer, dim_t index);

/// load_f32() or load_s32(), by the type of the value; no call where the elements have that type.
template <class Value> Value load_as(data_type dtype, const void *buffer, dim_t index) {
    constexpr data_type same = std::is_same_v<Value, float> ? data_type::f32 : data_type::s32;
    if (dtype == same) return static_cast<const Value *>(buffer)[index];
    if constexpr (same == data_type::f32) return load_f32(dtype, buffer, index);
    if constexpr (same == data_type::s32) return load_s32(dtype, buffer, index);
}

} // namespace dnnl::impl
