// SPDX-License-Identifier: Apache-2.0
// Scalar conversions between the element types, exact in every rounding and every special value.
#include "common/layout/data_type.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <iterator>

namespace dnnl::impl {

namespace {
/// The types in the order of their values, with the bytes of an element.
constexpr struct {
    const char *name;
    std::size_t bytes;
} types[] = {{"undef", std::size_t(-1)}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"s32", 4}, {"s8", 1},
    {"u8", 1}, {"f64", 8}, {"boolean", 1}, {"f8_e5m2", 1}, {"f8_e4m3", 1}, {"s4", 1}, {"u4", 1},
    {"e8m0", 1}, {"f4_e2m1", 1}, {"f4_e3m0", 1}, {"s64", 8}};

const auto &entry_of(data_type dtype) {
    const auto index = std::size_t(dtype);
    return types[index < std::size(types) ? index : 0];
}

/// NaN gives 0.
std::int32_t rounded_within(double lowest, double value, double highest) {
    if (std::isnan(value)) return 0;
    return static_cast<std::int32_t>(std::nearbyint(std::fmin(std::fmax(value, lowest), highest)));
}

/// A sign, an exponent with a bias and `mantissa_bits`, with subnormal values; no code is special.
struct small_format {
    int mantissa_bits, bias;
    std::uint8_t sign_bit;
};
constexpr small_format e5m2 {2, 15, 0x80}, e4m3 {3, 7, 0x80}, e2m1 {1, 1, 8};
constexpr std::uint32_t f32_infinity = 0x7f800000;

float widened(const small_format &f, std::uint8_t code) {
    const std::uint32_t magnitude = code & (f.sign_bit - 1u);
    float value;
    if (magnitude >> f.mantissa_bits == 0)
        value = std::ldexp(static_cast<float>(magnitude), 1 - f.bias - f.mantissa_bits);
    else
        value = std::bit_cast<float>(
            (magnitude + ((127u - f.bias) << f.mantissa_bits)) << (23 - f.mantissa_bits));
    return code & f.sign_bit ? -value : value;
}

/// The code of the nearest magnitude, as if the exponent had no upper limit.
std::uint32_t rounded_magnitude(const small_format &f, std::uint32_t magnitude) {
    const std::uint32_t exponent_shift = (127u - f.bias) << 23;
    if (magnitude < exponent_shift + (1u << 23)) // subnormal: a multiple of 2^(1 - bias - bits)
        return static_cast<std::uint32_t>(std::nearbyint(
            std::ldexp(std::bit_cast<float>(magnitude), f.bias - 1 + f.mantissa_bits)));
    const int dropped = 23 - f.mantissa_bits;
    const std::uint32_t half = (1u << (dropped - 1)) - 1;
    const std::uint32_t rebiased = magnitude - exponent_shift;
    return (rebiased + half + (rebiased >> dropped & 1)) >> dropped;
}

/// Codes above `largest` become `beyond`, so does infinity; NaN becomes `nan`, all with their sign.
std::uint8_t narrowed(const small_format &f, float value, std::uint8_t largest, std::uint8_t beyond,
    std::uint8_t nan) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffff;
    const std::uint8_t sign = bits >> 31 ? f.sign_bit : 0;
    if (magnitude > f32_infinity) return sign | nan;
    const std::uint32_t code = rounded_magnitude(f, magnitude);
    return static_cast<std::uint8_t>(sign | (code > largest ? beyond : code));
}

std::uint8_t f32_to_int4(float value, double lowest, double highest) {
    return static_cast<std::uint8_t>(rounded_within(lowest, double(value), highest) & 15);
}

template <class T> T element(const void *buffer, dim_t index) {
    return static_cast<const T *>(buffer)[index];
}
template <class T> void set_element(void *buffer, dim_t index, T value) {
    static_cast<T *>(buffer)[index] = value;
}
std::uint8_t code_at(data_type dtype, const void *buffer, dim_t index) {
    if (!is_4bit(dtype)) return element<std::uint8_t>(buffer, index);
    return nibble_of(element<std::uint8_t>(buffer, index / 2), index);
}
} // namespace

std::size_t size_of(data_type dtype) { return entry_of(dtype).bytes; }
const char *name_of(data_type dtype) { return entry_of(dtype).name; }

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

std::int32_t f64_to_s32(double value) { return rounded_within(INT32_MIN, value, INT32_MAX); }
std::int32_t f32_to_s32(float value) { return f64_to_s32(double(value)); }
std::int8_t f32_to_s8(float value) {
    return static_cast<std::int8_t>(rounded_within(-128, double(value), 127));
}
std::uint8_t f32_to_u8(float value) {
    return static_cast<std::uint8_t>(rounded_within(0, double(value), 255));
}

float f64_to_f32_odd(double value) {
    const auto nearest = static_cast<float>(value);
    if (double(nearest) == value || std::isnan(value)) return nearest;
    const auto bits = std::bit_cast<std::uint32_t>(nearest);
    // Towards zero, then the odd one of the two neighbours.
    const bool away = std::fabs(double(nearest)) > std::fabs(value);
    return std::bit_cast<float>((bits - away) | 1);
}

float code_to_f32(data_type dtype, std::uint8_t code) {
    switch (dtype) {
    case data_type::f8_e5m2: return f16_to_f32(static_cast<std::uint16_t>(code << 8));
    case data_type::f8_e4m3:
        return (code & 0x7f) == 0x7f ? std::bit_cast<float>((code & 0x80u) << 24 | 0x7fc00000u)
                                     : widened(e4m3, code);
    case data_type::e8m0: // 2^(code - 127); 255 is NaN
        if (code == 0xff) return std::bit_cast<float>(0x7fc00000u);
        return std::bit_cast<float>(code == 0 ? 0x400000u : std::uint32_t {code} << 23);
    case data_type::f4_e2m1: return widened(e2m1, code);
    default: return static_cast<float>(code_to_s32(dtype, code));
    }
}

std::uint8_t f32_to_code(data_type dtype, float value) {
    switch (dtype) {
    case data_type::f8_e5m2: return narrowed(e5m2, value, 0x7b, 0x7c, 0x7e);
    case data_type::f8_e4m3: return narrowed(e4m3, value, 0x7e, 0x7f, 0x7f);
    case data_type::e8m0: // the exponent of f32, which has the same bias
        return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(value) >> 23);
    case data_type::f4_e2m1: return narrowed(e2m1, value, 7, 7, 7);
    case data_type::s4: return f32_to_int4(value, -8, 7);
    default: return f32_to_int4(value, 0, 15);
    }
}

void set_nibble(void *buffer, dim_t index, std::uint8_t code) {
    const std::atomic_ref pair(static_cast<std::uint8_t *>(buffer)[index / 2]);
    const int shift = index % 2 ? 4 : 0;
    std::uint8_t before = pair.load(std::memory_order_relaxed), after;
    do after = static_cast<std::uint8_t>((before & (0xf0 >> shift)) | (code & 15) << shift);
    while (!pair.compare_exchange_weak(before, after, std::memory_order_relaxed));
}

float load_f32(data_type dtype, const void *buffer, dim_t index) {
    switch (dtype) {
    case data_type::f64: return static_cast<float>(element<double>(buffer, index));
    case data_type::f32: return element<float>(buffer, index);
    case data_type::bf16: return bf16_to_f32(element<std::uint16_t>(buffer, index));
    case data_type::f16: return f16_to_f32(element<std::uint16_t>(buffer, index));
    case data_type::s32:
    case data_type::s8:
    case data_type::u8: return static_cast<float>(load_s32(dtype, buffer, index));
    default: return code_to_f32(dtype, code_at(dtype, buffer, index));
    }
}

void store_f32(data_type dtype, void *buffer, dim_t index, float value) {
    switch (dtype) {
    case data_type::f64: return set_element(buffer, index, double(value));
    case data_type::f32: return set_element(buffer, index, value);
    case data_type::bf16: return set_element(buffer, index, f32_to_bf16(value));
    case data_type::f16: return set_element(buffer, index, f32_to_f16(value));
    case data_type::s32: return set_element(buffer, index, f32_to_s32(value));
    case data_type::s8: return set_element(buffer, index, f32_to_s8(value));
    case data_type::u8: return set_element(buffer, index, f32_to_u8(value));
    default:
        if (is_4bit(dtype)) return set_nibble(buffer, index, f32_to_code(dtype, value));
        return set_element(buffer, index, f32_to_code(dtype, value));
    }
}

std::int32_t load_s32(data_type dtype, const void *buffer, dim_t index) {
    switch (dtype) {
    case data_type::s32: return element<std::int32_t>(buffer, index);
    case data_type::s8: return element<std::int8_t>(buffer, index);
    case data_type::u8: return element<std::uint8_t>(buffer, index);
    case data_type::s4:
    case data_type::u4: return code_to_s32(dtype, code_at(dtype, buffer, index));
    default: return 0;
    }
}

} // namespace dnnl::impl
