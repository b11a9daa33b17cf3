// SPDX-License-Identifier: Apache-2.0
// Packed instructions on 64-bit words, as a VLIW processor has them (Elbrus), one lane after the
// other; and machines as channels that operations share.
#pragma once

#include <algorithm>
#include <cstdint>

namespace models {

/// Byte t of the result is byte ctl[t] of the sixteen that v (0 ... 7) and z (8 ... 15) have.
constexpr std::uint64_t shuffle_bytes(std::uint64_t z, std::uint64_t v, std::uint64_t ctl) {
    std::uint64_t result = 0;
    for (int t = 0; t < 8; ++t) {
        const int from = int(ctl >> (8 * t)) & 15;
        const std::uint64_t byte = (from < 8 ? v >> (8 * from) : z >> (8 * (from - 8))) & 255;
        result |= byte << (8 * t);
    }
    return result;
}

/// The four low, or high, bytes of v as 16-bit lanes, each below one of z.
constexpr std::uint64_t unpack_low(std::uint64_t z, std::uint64_t v) {
    return shuffle_bytes(z, v, 0x0b030a0209010800);
}
constexpr std::uint64_t unpack_high(std::uint64_t z, std::uint64_t v) {
    return shuffle_bytes(z, v, 0x0f070e060d050c04);
}

/// Signed 16-bit lanes: (x0 y0 + x1 y1, x2 y2 + x3 y3) in 32 bits.
constexpr std::uint64_t multiply_add_pairs(std::uint64_t x, std::uint64_t y) {
    const auto lane = [](std::uint64_t of, int l) {
        return std::int32_t(static_cast<std::int16_t>(of >> (16 * l)));
    };
    const auto pair = [&](int l) {
        return std::uint64_t(std::uint32_t(lane(x, l)) * std::uint32_t(lane(y, l)) +
                             std::uint32_t(lane(x, l + 1)) * std::uint32_t(lane(y, l + 1))) &
               0xffffffffu;
    };
    return pair(0) | pair(2) << 32;
}

/// Two sums of 32 bits, which wrap.
constexpr std::uint64_t add_words(std::uint64_t x, std::uint64_t y) {
    const std::uint64_t high = ((x >> 32) + (y >> 32)) << 32;
    return high | ((x + y) & 0xffffffffu);
}

/// u8 x u8 sums of 32 bits: so many products always fit.
inline constexpr std::int64_t safe_depth = 2147483647 / (255 * 255);

/// How many operations of each kind a machine starts in a clock: multiplications (of floats, and of
/// packed integers with the shuffles), packed additions, and all of them together.
struct machine {
    const char *name;
    double float_multiplies, integer_multiplies, integer_adds, all;
};

/// The operations of one step of an inner loop, and the multiply-accumulations that it is.
struct loop_step {
    double float_multiplies, integer_multiplies, integer_adds, products;
};

/// Clocks of a step: the resource that is needed longest.
constexpr double clocks(const loop_step &s, const machine &m) {
    return std::max({s.float_multiplies / m.float_multiplies,
        s.integer_multiplies / m.integer_multiplies, s.integer_adds / m.integer_adds,
        (s.float_multiplies + s.integer_multiplies + s.integer_adds) / m.all});
}

/// How many times as many products in the same time.
constexpr double gain(const loop_step &of, const loop_step &over, const machine &m) {
    return of.products / clocks(of, m) * clocks(over, m) / over.products;
}

} // namespace models
