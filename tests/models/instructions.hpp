// SPDX-License-Identifier: Apache-2.0
// The instructions that multiply bytes, 16-bit integers and bf16, one 32-bit lane after the other,
// as the architecture manuals define them, bit by bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "bf16_arithmetic.hpp"

namespace models {

/// Sums wrap.
constexpr std::int32_t wrapping_sum(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
constexpr std::int32_t saturated(std::int64_t sum) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, -2147483648LL, 2147483647LL));
}

// ---- Bytes: u8 a times s8 b ----

/// A 16-bit lane of vpmaddubsw: saturates.
constexpr std::int16_t pair_of_bytes(const std::uint8_t *a, const std::int8_t *b) {
    return static_cast<std::int16_t>(std::clamp(a[0] * b[0] + a[1] * b[1], -32768, 32767));
}
/// vpmaddubsw, vpmaddwd with ones, vpaddd.
constexpr std::int32_t three_instructions(
    std::int32_t sum, const std::uint8_t *a, const std::int8_t *b) {
    return wrapping_sum(sum, pair_of_bytes(a, b) + pair_of_bytes(a + 2, b + 2));
}
constexpr std::int64_t four_products(const std::uint8_t *a, const std::int8_t *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}
constexpr std::int32_t vpdpbusd(std::int32_t sum, const std::uint8_t *a, const std::int8_t *b) {
    return wrapping_sum(sum, static_cast<std::int32_t>(four_products(a, b)));
}
constexpr std::int32_t vpdpbusds(std::int32_t sum, const std::uint8_t *a, const std::int8_t *b) {
    return saturated(sum + four_products(a, b));
}

// ---- 16 bits ----

constexpr std::int32_t vpdpwssd(std::int32_t sum, const std::int16_t *a, const std::int16_t *b) {
    return wrapping_sum(sum, wrapping_sum(a[0] * b[0], a[1] * b[1]));
}
constexpr std::int32_t vpdpwssds(std::int32_t sum, const std::int16_t *a, const std::int16_t *b) {
    return saturated(std::int64_t(sum) + a[0] * b[0] + std::int64_t(a[1]) * b[1]);
}

// ---- bf16 ----

inline std::uint32_t bits_of(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}
inline float float_of(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}
/// Subnormal values become zero of the same sign.
inline float flushed(float value) {
    const std::uint32_t bits = bits_of(value);
    return (bits & 0x7f800000u) == 0 ? float_of(bits & 0x80000000u) : value;
}

/// vcvtneps2bf16: to nearest, ties to even; NaNs become quiet, subnormal values zero.
inline std::uint16_t to_bf16(float value) {
    const std::uint32_t bits = bits_of(flushed(value));
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
/// vcvtne2ps2bf16 of `high` and `low`: the second operand goes to the lower half.
inline void vcvtne2ps2bf16(const float *high, const float *low, int lanes, std::uint16_t *to) {
    for (int i = 0; i < lanes; ++i) {
        to[i] = to_bf16(low[i]);
        to[lanes + i] = to_bf16(high[i]);
    }
}
/// vdpbf16ps: two fused steps, the upper element first; subnormal operands and results are zero.
/// For finite numbers, on a processor with FMA.
inline float vdpbf16ps(float sum, const std::uint16_t *a, const std::uint16_t *b) {
    const dnnl::impl::flushing_arithmetic flushing;
    const auto widened = [](std::uint16_t value) { return float_of(std::uint32_t(value) << 16); };
    const float upper = dnnl::impl::fused_multiply_add(widened(a[1]), widened(b[1]), sum);
    return dnnl::impl::fused_multiply_add(widened(a[0]), widened(b[0]), upper);
}

// ---- Encodings of 512 bits without mask: EVEX, map 0F38, W0, registers below 32 ----

struct encoded {
    std::uint8_t bytes[6];
};
/// `prefix`: 0 none, 1 66, 2 F3, 3 F2. `second` is the operand of vvvv, `last` the last one.
constexpr encoded evex_512(int prefix, int opcode, int destination, int second, int last) {
    const auto inverted = [](int number, int bit, int place) {
        return (~(number >> bit) & 1) << place;
    };
    const int p0 = inverted(destination, 3, 7) | inverted(last, 4, 6) | inverted(last, 3, 5) |
                   inverted(destination, 4, 4) | 2;
    const int p1 = (~second & 15) << 3 | 4 | prefix;
    const int p2 = 2 << 5 | inverted(second, 4, 3);
    const int modrm = 3 << 6 | (destination & 7) << 3 | (last & 7);
    return {{0x62, static_cast<std::uint8_t>(p0), static_cast<std::uint8_t>(p1),
        static_cast<std::uint8_t>(p2), static_cast<std::uint8_t>(opcode),
        static_cast<std::uint8_t>(modrm)}};
}

} // namespace models
