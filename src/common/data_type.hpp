// SPDX-License-Identifier: Apache-2.0
// Element types: sizes, names, limits and exact conversions (numerics.md of the specification
// notes: round to nearest even, saturation to the range, NaN to an integer gives 0).
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/plain_types.hpp"

namespace dnnl::impl {

/// Bytes of one element; 4-bit types report 1; (size_t)-1 for undef and unknown types.
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
/// One of f32, bf16, f16, s32, s8, u8.
constexpr bool is_common(data_type t) {
    return is_float(t) || t == data_type::s32 || is_int8(t);
}

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

/// Element `index` of a buffer as f32; an s32 beyond 2^24 is rounded to nearest even.
float load_f32(data_type dtype, const void *buffer, dim_t index);
/// Stores a value with the conversion rules above.
void store_f32(data_type dtype, void *buffer, dim_t index, float value);
/// Element `index` of an integer buffer (s32, s8, u8), exactly.
std::int32_t load_s32(data_type dtype, const void *buffer, dim_t index);

} // namespace dnnl::impl
