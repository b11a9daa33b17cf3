// SPDX-License-Identifier: Apache-2.0
// Conversions between f64 and the element types, written from the bit layouts of the formats.
#include "number.hpp"

#include "usage_error.hpp"

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace conformance {
namespace {

// Significand digits with the hidden bit, smallest normal exponent, largest finite value.
struct float_format {
    int digits, min_exponent;
    double max_finite;
};

float_format format_of(data_type type) {
    switch (type) {
    case data_type::bf16: return {8, -126, std::ldexp(255.0, 120)};
    case data_type::f16: return {11, -14, 65504.0};
    default: return {24, -126, FLT_MAX};
    }
}

double round_to_float(double value, const float_format &format) {
    if (value == 0 || !std::isfinite(value)) return value;
    int exponent;
    std::frexp(value, &exponent);
    const int last_place = std::max(exponent - 1, format.min_exponent) - (format.digits - 1);
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -last_place)), last_place);
    if (std::fabs(rounded) > format.max_finite) return std::copysign(INFINITY, value);
    return rounded;
}

std::uint16_t f16_bits(double value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value)) return 0x7e00;
    const double size = std::fabs(value);
    if (std::isinf(value)) return sign | 0x7c00;
    if (size < std::ldexp(1.0, -14)) return sign | std::uint16_t(std::ldexp(size, 24));
    int exponent;
    const double fraction = std::frexp(size, &exponent); // size = fraction * 2^exponent, >= 0.5
    const int mantissa = int(std::ldexp(fraction, 11)) - 1024;
    return std::uint16_t(sign | (exponent + 14) << 10 | mantissa);
}

double f16_value(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double size =
        std::ldexp(double(mantissa | (exponent ? 1024 : 0)), (exponent ? exponent : 1) - 25);
    if (exponent == 31) size = mantissa ? std::numeric_limits<double>::quiet_NaN() : INFINITY;
    return bits & 0x8000 ? -size : size;
}

template <class T> T read(const void *element) {
    T value;
    std::memcpy(&value, element, sizeof value);
    return value;
}

template <class T> void write(void *element, T value) {
    std::memcpy(element, &value, sizeof value);
}

} // namespace

std::size_t bytes_of(data_type type) { return memory::data_type_size(type); }

bool is_integer(data_type type) {
    return type == data_type::s32 || type == data_type::s8 || type == data_type::u8;
}

double lowest_of(data_type type) {
    if (type == data_type::u8) return 0;
    return type == data_type::s8 ? -128 : -2147483648.0;
}

double highest_of(data_type type) {
    if (type == data_type::u8) return 255;
    return type == data_type::s8 ? 127 : 2147483647.0;
}

double max_finite_of(data_type type) { return format_of(type).max_finite; }

double round_to(data_type type, double value) {
    if (type == data_type::f32) return double(float(value));
    if (!is_integer(type)) return round_to_float(value, format_of(type));
    if (std::isnan(value)) return 0;
    if (value <= lowest_of(type)) return lowest_of(type);
    if (value >= highest_of(type)) return highest_of(type);
    return std::nearbyint(value) + 0.0;
}

double load(data_type type, const void *element) {
    switch (type) {
    case data_type::f32: return read<float>(element);
    case data_type::s32: return read<std::int32_t>(element);
    case data_type::s8: return read<std::int8_t>(element);
    case data_type::u8: return read<std::uint8_t>(element);
    case data_type::f16: return f16_value(read<std::uint16_t>(element));
    case data_type::bf16: {
        const std::uint32_t bits = std::uint32_t(read<std::uint16_t>(element)) << 16;
        return read<float>(&bits);
    }
    default: throw usage_error("this element type is not supported: " + name_of(type));
    }
}

void store(data_type type, double value, void *element) {
    const double rounded = round_to(type, value);
    switch (type) {
    case data_type::f32: return write(element, float(rounded));
    case data_type::s32: return write(element, std::int32_t(rounded));
    case data_type::s8: return write(element, std::int8_t(rounded));
    case data_type::u8: return write(element, std::uint8_t(rounded));
    case data_type::f16: return write(element, f16_bits(rounded));
    case data_type::bf16: {
        const float exact = float(rounded);
        return write(element, std::uint16_t(read<std::uint32_t>(&exact) >> 16));
    }
    default: throw usage_error("this element type is not supported: " + name_of(type));
    }
}

bool is_f32(double value) { return double(float(value)) == value; }

namespace {
struct named_type {
    const char *name;
    data_type type;
};
const named_type type_names[] = {{"f32", data_type::f32}, {"bf16", data_type::bf16},
    {"f16", data_type::f16}, {"s32", data_type::s32}, {"s8", data_type::s8}, {"u8", data_type::u8},
    {"undef", data_type::undef}};
} // namespace

std::string name_of(data_type type) {
    for (const auto &entry : type_names)
        if (entry.type == type) return entry.name;
    return "type " + std::to_string(int(type));
}

data_type type_named(const std::string &name) {
    const std::string bare = name.rfind("dnnl_", 0) == 0 ? name.substr(5) : name;
    for (const auto &entry : type_names)
        if (bare == entry.name) return entry.type;
    throw usage_error("unknown or unsupported data type '" + name + "'");
}

} // namespace conformance
