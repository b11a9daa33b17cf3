// SPDX-License-Identifier: Apache-2.0
// Conversions between f64 and the element types, written from the bit layouts of the formats.
#include "language/number.hpp"

#include "language/usage_error.hpp"

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace conformance {
namespace {

// Significand digits with the hidden bit, smallest normal exponent, largest finite value, and what
// a larger one becomes.
enum class overflow { infinity, nan, saturation };
struct float_format {
    int digits, min_exponent;
    double max_finite;
    overflow beyond = overflow::infinity;
};

float_format format_of(data_type type) {
    switch (type) {
    case data_type::bf16: return {8, -126, std::ldexp(255.0, 120)};
    case data_type::f16: return {11, -14, 65504.0};
    case data_type::f64: return {53, -1022, DBL_MAX};
    case data_type::f8_e5m2: return {3, -14, 57344.0};
    case data_type::f8_e4m3: return {4, -6, 448.0, overflow::nan};
    case data_type::f4_e2m1: return {2, 0, 6.0, overflow::saturation};
    case data_type::e8m0: return {1, -127, std::ldexp(1.0, 127), overflow::nan};
    default: return {24, -126, FLT_MAX};
    }
}

double round_to_float(double value, const float_format &format) {
    const bool saturates = format.beyond == overflow::saturation;
    if (std::isnan(value) && saturates) return std::copysign(format.max_finite, value);
    if (value == 0 || std::isnan(value)) return value;
    double rounded = value;
    if (std::isfinite(value)) {
        int exponent;
        std::frexp(value, &exponent);
        const int last_place = std::max(exponent - 1, format.min_exponent) - (format.digits - 1);
        const double places = std::ldexp(value, -last_place);
        rounded = std::ldexp(std::nearbyint(places), last_place);
    }
    if (std::fabs(rounded) <= format.max_finite) return rounded;
    if (saturates) return std::copysign(format.max_finite, value);
    return format.beyond == overflow::nan ? NAN : std::copysign(INFINITY, value);
}

// Powers of two alone: the magnitude without its significand, as the exponent of a normal f32 says
// it.
double round_to_e8m0(double value) {
    const double size = std::fabs(double(float(value)));
    if (!std::isfinite(size)) return NAN;
    if (size < std::ldexp(1.0, -126)) return std::ldexp(1.0, -127);
    return std::ldexp(1.0, std::ilogb(size));
}

// Types whose elements are numbers of at most 8 bits, with the bits after the sign.
int code_bits(data_type type) {
    switch (type) {
    case data_type::f8_e5m2:
    case data_type::f8_e4m3:
    case data_type::e8m0: return 8;
    case data_type::s4:
    case data_type::u4:
    case data_type::f4_e2m1: return 4;
    default: return 0;
    }
}

double decoded(data_type type, int code) {
    if (type == data_type::u4) return code;
    if (type == data_type::s4) return code < 8 ? code : code - 16;
    if (type == data_type::e8m0) return code == 255 ? NAN : std::ldexp(1.0, code - 127);
    const float_format format = format_of(type);
    const int stored = format.digits - 1, sign = 1 << (code_bits(type) - 1);
    const int exponent = (code & (sign - 1)) >> stored, significand = code & ((1 << stored) - 1);
    double size = std::ldexp(significand + (exponent ? 1 << stored : 0),
        std::max(exponent, 1) - 1 + format.min_exponent - stored);
    if (size > format.max_finite)
        size = format.beyond == overflow::infinity && significand == 0 ? INFINITY : NAN;
    return code & sign ? -size : size;
}

// decoded() of every code of a type.
std::vector<double> all_codes(data_type type) {
    std::vector<double> values;
    for (int code = 0; code < 1 << code_bits(type); ++code) values.push_back(decoded(type, code));
    return values;
}

double value_of_code(data_type type, int code) {
    static const auto tables = [] {
        std::vector<std::vector<double>> result(32);
        for (data_type t : {data_type::f8_e5m2, data_type::f8_e4m3, data_type::e8m0, data_type::s4,
                 data_type::u4, data_type::f4_e2m1})
            result[std::size_t(t)] = all_codes(t);
        return result;
    }();
    return tables[std::size_t(type)][std::size_t(code)];
}

// The code of a value that the type has.
int code_of_value(data_type type, double value) {
    for (int code = 0; code < 1 << code_bits(type); ++code) {
        const double candidate = value_of_code(type, code);
        if (std::isnan(value) && std::isnan(candidate)) return code;
        if (candidate == value && std::signbit(candidate) == std::signbit(value)) return code;
    }
    throw usage_error("no code of " + name_of(type) + " stands for the value");
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

bool is_4bit(data_type type) { return code_bits(type) == 4; }

bool is_unsigned(data_type type) { return type == data_type::u8 || type == data_type::u4; }

bool is_integer(data_type type) {
    return type == data_type::s32 || type == data_type::s8 || type == data_type::u8 ||
           type == data_type::s4 || type == data_type::u4;
}

double lowest_of(data_type type) {
    if (is_unsigned(type)) return 0;
    if (type == data_type::s4) return -8;
    return type == data_type::s8 ? -128 : -2147483648.0;
}

double highest_of(data_type type) {
    if (type == data_type::u8) return 255;
    if (type == data_type::s4) return 7;
    if (type == data_type::u4) return 15;
    return type == data_type::s8 ? 127 : 2147483647.0;
}

double max_finite_of(data_type type) { return format_of(type).max_finite; }

double round_to(data_type type, double value) {
    if (type == data_type::f64) return value;
    if (type == data_type::s64) return std::nearbyint(value);
    if (type == data_type::f32) return double(float(value));
    if (type == data_type::e8m0) return round_to_e8m0(value);
    if (!is_integer(type)) return round_to_float(value, format_of(type));
    if (std::isnan(value)) return 0;
    if (value <= lowest_of(type)) return lowest_of(type);
    if (value >= highest_of(type)) return highest_of(type);
    return std::nearbyint(value) + 0.0;
}

double load(data_type type, const void *element) {
    if (code_bits(type) == 8) return value_of_code(type, read<std::uint8_t>(element));
    if (is_4bit(type)) return value_of_code(type, read<std::uint8_t>(element) & 15);
    switch (type) {
    case data_type::f64: return read<double>(element);
    case data_type::f32: return read<float>(element);
    case data_type::s32: return read<std::int32_t>(element);
    case data_type::s64: return double(read<std::int64_t>(element));
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
    if (code_bits(type)) return write(element, std::uint8_t(code_of_value(type, rounded)));
    switch (type) {
    case data_type::f64: return write(element, rounded);
    case data_type::f32: return write(element, float(rounded));
    case data_type::s32: return write(element, std::int32_t(rounded));
    case data_type::s64: return write(element, std::int64_t(rounded));
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

double load_at(data_type type, const void *data, std::size_t index) {
    const auto *const bytes = static_cast<const std::uint8_t *>(data);
    if (!is_4bit(type)) return load(type, bytes + index * bytes_of(type));
    return value_of_code(type, bytes[index / 2] >> (index % 2 ? 4 : 0) & 15);
}

void store_at(data_type type, double value, void *data, std::size_t index) {
    auto *const bytes = static_cast<std::uint8_t *>(data);
    if (!is_4bit(type)) return store(type, value, bytes + index * bytes_of(type));
    std::uint8_t code = 0;
    store(type, value, &code);
    std::uint8_t &pair = bytes[index / 2];
    pair = index % 2 ? std::uint8_t((pair & 15) | code << 4) : std::uint8_t((pair & 240) | code);
}

bool is_f32(double value) { return double(float(value)) == value; }

namespace {
struct named_type {
    const char *name;
    data_type type;
};
const named_type type_names[] = {{"f32", data_type::f32}, {"bf16", data_type::bf16},
    {"f16", data_type::f16}, {"s32", data_type::s32}, {"s8", data_type::s8}, {"u8", data_type::u8},
    {"f64", data_type::f64}, {"f8_e5m2", data_type::f8_e5m2}, {"f8_e4m3", data_type::f8_e4m3},
    {"e8m0", data_type::e8m0}, {"f4_e2m1", data_type::f4_e2m1}, {"f4_e3m0", data_type::f4_e3m0},
    {"s64", data_type::s64}, {"s4", data_type::s4}, {"u4", data_type::u4},
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
