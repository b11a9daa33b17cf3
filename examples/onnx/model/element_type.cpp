// SPDX-License-Identifier: Apache-2.0
#include "element_type.hpp"

#include "error.hpp"

namespace dnnl_onnx {

const char *name_of(element_type type) {
    static const char *const names[] = {"undefined", "f32", "u8", "s8", "u16", "s16", "s32", "s64",
        "string", "bool", "f16", "f64", "u32", "u64", "c64", "c128", "bf16"};
    const auto index = std::size_t(type);
    return index < std::size(names) ? names[index] : "unknown";
}

std::size_t size_of(element_type type) {
    switch (type) {
    case element_type::u8:
    case element_type::s8:
    case element_type::boolean: return 1;
    case element_type::u16:
    case element_type::s16:
    case element_type::f16:
    case element_type::bf16: return 2;
    case element_type::f32:
    case element_type::u32:
    case element_type::s32: return 4;
    case element_type::f64:
    case element_type::u64:
    case element_type::s64: return 8;
    default: return 0;
    }
}

void no_such_type(element_type type) {
    throw error("there is no computation with elements of the type " + std::string(name_of(type)));
}

half::half(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = word >> 16 & 0x8000, magnitude = word & 0x7fffffff;
    if (magnitude >= 0x7f800000) { // infinity and NaN
        bits = std::uint16_t(sign | 0x7c00 | (magnitude > 0x7f800000 ? 0x200 : 0));
    } else if (magnitude >= 0x47800000) { // 65536 and more
        bits = std::uint16_t(sign | 0x7c00);
    } else if (magnitude >= 0x38800000) { // normal; a carry out of the mantissa raises the exponent
        const std::uint32_t rounded = magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1);
        bits = std::uint16_t(sign | rounded >> 13);
    } else { // the addition of 0.5 rounds to multiples of 2^-24, the unit of subnormal numbers
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        bits = std::uint16_t(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
    }
}

half::operator float() const {
    const std::uint32_t sign = std::uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00)
        return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
}

bfloat16::bfloat16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    if ((word & 0x7fffffff) > 0x7f800000)
        bits = std::uint16_t(word >> 16 | 0x40);
    else
        bits = std::uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

} // namespace dnnl_onnx
