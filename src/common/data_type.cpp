// SPDX-License-Identifier: Apache-2.0
// Scalar conversions between the element types, exact in every rounding and every special value.
#include "common/data_type.hpp"

#include <bit>
#include <cmath>
#include <iterator>

namespace dnnl::impl {

std::size_t size_of(data_type dtype) {
    switch (dtype) {
    case data_type::f64: return 8;
    case data_type::f32:
    case data_type::s32: return 4;
    case data_type::f16:
    case data_type::bf16: return 2;
    case data_type::s8:
    case data_type::u8:
    case data_type::boolean:
    case data_type::f8_e5m2:
    case data_type::f8_e4m3:
    case data_type::s4:
    case data_type::u4:
    case data_type::e8m0:
    case data_type::f4_e2m1:
    case data_type::f4_e3m0: return 1;
    case data_type::undef: break;
    }
    return static_cast<std::size_t>(-1);
}

const char *name_of(data_type dtype) {
    static constexpr const char *names[] = {"undef", "f16", "bf16", "f32", "s32", "s8", "u8", "f64",
        "boolean", "f8_e5m2", "f8_e4m3", "s4", "u4", "e8m0", "f4_e2m1", "f4_e3m0"};
    const auto index = static_cast<std::size_t>(dtype);
    return index < std::size(names) ? names[index] : "undef";
}

float bf16_to_f32(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t {bits} << 16); }

float f16_to_f32(std::uint16_t bits) {
    const std::uint32_t sign = std::uint32_t {bits & 0x8000u} << 16;
    const std::uint32_t exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
    if (exponent == 0) {
        const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

std::uint16_t f32_to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

std::uint16_t f32_to_f16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
    const std::uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
    if (magnitude >= 0x477ff000) return sign | 0x7c00; // 65520 and above round to infinity
    if (magnitude < 0x38800000) {                      // below 2^-14: a multiple of 2^-24
        const float scaled = std::bit_cast<float>(magnitude) * 0x1p24f;
        const auto truncated = static_cast<std::uint32_t>(scaled);
        const float rest = scaled - static_cast<float>(truncated);
        const bool up = rest > 0.5f || (rest == 0.5f && (truncated & 1));
        return static_cast<std::uint16_t>(sign | (truncated + up));
    }
    const std::uint32_t rebiased = magnitude - (112u << 23);
    return static_cast<std::uint16_t>(sign | (rebiased + 0xfff + (rebiased >> 13 & 1)) >> 13);
}

std::int32_t f32_to_s32(float value) {
    if (std::isnan(value)) return 0;
    if (value >= 0x1p31f) return INT32_MAX;
    if (value <= -0x1p31f) return INT32_MIN;
    return static_cast<std::int32_t>(std::nearbyint(value));
}

std::int8_t f32_to_s8(float value) {
    if (std::isnan(value)) return 0;
    return static_cast<std::int8_t>(std::nearbyint(std::fmin(std::fmax(value, -128.0f), 127.0f)));
}

std::uint8_t f32_to_u8(float value) {
    if (std::isnan(value)) return 0;
    return static_cast<std::uint8_t>(std::nearbyint(std::fmin(std::fmax(value, 0.0f), 255.0f)));
}

namespace {
template <class T> T element(const void *buffer, dim_t index) {
    return static_cast<const T *>(buffer)[index];
}
template <class T> void set_element(void *buffer, dim_t index, T value) {
    static_cast<T *>(buffer)[index] = value;
}
} // namespace

float load_f32(data_type dtype, const void *buffer, dim_t index) {
    switch (dtype) {
    case data_type::f32: return element<float>(buffer, index);
    case data_type::bf16: return bf16_to_f32(element<std::uint16_t>(buffer, index));
    case data_type::f16: return f16_to_f32(element<std::uint16_t>(buffer, index));
    default: return static_cast<float>(load_s32(dtype, buffer, index));
    }
}

void store_f32(data_type dtype, void *buffer, dim_t index, float value) {
    switch (dtype) {
    case data_type::f32: return set_element(buffer, index, value);
    case data_type::bf16: return set_element(buffer, index, f32_to_bf16(value));
    case data_type::f16: return set_element(buffer, index, f32_to_f16(value));
    case data_type::s32: return set_element(buffer, index, f32_to_s32(value));
    case data_type::s8: return set_element(buffer, index, f32_to_s8(value));
    case data_type::u8: return set_element(buffer, index, f32_to_u8(value));
    default: return;
    }
}

std::int32_t load_s32(data_type dtype, const void *buffer, dim_t index) {
    switch (dtype) {
    case data_type::s32: return element<std::int32_t>(buffer, index);
    case data_type::s8: return element<std::int8_t>(buffer, index);
    case data_type::u8: return element<std::uint8_t>(buffer, index);
    default: return 0;
    }
}

} // namespace dnnl::impl
