// SPDX-License-Identifier: Apache-2.0
// The generator and its two uses, independent of the code of the library.
#include "oracle/random_numbers.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

namespace conformance {

namespace {
using words = std::array<std::uint32_t, 4>;

// Ten rounds on the counter c with the key {key0, key1}.
words encrypted(words c, std::uint32_t key0, std::uint32_t key1) {
    auto [c0, c1, c2, c3] = c;
    for (std::uint32_t r = 0; r < 10; ++r) {
        const std::uint32_t k0 = key0 + r * 0x9E3779B9u, k1 = key1 + r * 0xBB67AE85u;
        const std::uint64_t P = 0xD2511F53ull * c0, Q = 0xCD9E8D57ull * c2;
        const std::uint32_t next0 = std::uint32_t(Q >> 32) ^ c1 ^ k0;
        const std::uint32_t next2 = std::uint32_t(P >> 32) ^ c3 ^ k1;
        c0 = next0;
        c1 = std::uint32_t(Q);
        c2 = next2;
        c3 = std::uint32_t(P);
    }
    return {c0, c1, c2, c3};
}
} // namespace

words random_block(std::uint32_t index, std::uint32_t seed) {
    const std::uint32_t b = index / 4 * 4;
    return encrypted({b, b + 1, b + 2, b + 3}, seed, seed);
}

std::uint32_t random_word(std::uint32_t index, std::uint32_t seed) {
    return random_block(index, seed)[index % 4];
}

std::uint32_t random_word(std::uint64_t index, std::uint64_t seed, std::uint64_t offset) {
    const std::uint64_t b = index / 4 * 4;
    const words counter = {std::uint32_t(offset), std::uint32_t(offset >> 32), std::uint32_t(b),
        std::uint32_t(b >> 32)};
    return encrypted(counter, std::uint32_t(seed), std::uint32_t(seed >> 32))[index % 4];
}

bool is_kept(const dropout_knob &knob, dim offset) {
    const std::uint32_t word = knob.offset == 0
                                   ? random_word(std::uint32_t(offset), std::uint32_t(knob.seed))
                                   : random_word(std::uint64_t(offset), std::uint64_t(knob.seed),
                                         std::uint64_t(knob.offset));
    return double(word) > 4294967295.0 * double(knob.probability);
}

float kept_factor(const dropout_knob &knob) {
    return knob.probability == 1 ? 0.0f : 1.0f / (1.0f - knob.probability);
}

namespace {
// Significand digits with the hidden bit, smallest normal number, largest number.
struct format {
    int digits;
    double min_normal, most;
};
format format_of(data_type type) {
    switch (type) {
    case data_type::f16: return {11, std::ldexp(1, -14), 65504};
    case data_type::bf16: return {8, std::ldexp(1, -126), std::ldexp(255, 120)};
    case data_type::f8_e4m3: return {4, std::ldexp(1, -6), 448};
    case data_type::f8_e5m2: return {3, std::ldexp(1, -14), 57344};
    default: return {24, std::ldexp(1, -126), double(FLT_MAX)};
    }
}
} // namespace

double rounded_at_random(double value, data_type type, dim offset, int seed) {
    if (std::isnan(value)) return value;
    const format used = format_of(type);
    const std::uint32_t M = 0xFFFFFFFFu << (24 - used.digits);
    const bool two_bytes = bytes_of(type) == 2;
    const std::uint32_t word =
        random_word(std::uint32_t(offset / (two_bytes ? 4 : 2)), std::uint32_t(seed));
    const std::uint32_t bias =
        two_bytes ? word >> 8 * (offset % 4) & 0xff : word >> 16 * (offset % 2) & 0xffff;
    const float single = float(value);
    std::uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    bits = (bits + (bias & ~M)) & M;
    float cut;
    std::memcpy(&cut, &bits, sizeof cut);
    const double r = std::min(std::max(double(cut), -used.most), used.most);
    return r != 0 && std::fabs(r) < used.min_normal ? 0 : r;
}

interval rounded_at_random(const interval &x, data_type type, dim offset, int seed) {
    const interval wide = rounded_to_f32(x);
    interval result = wide;
    result.value = rounded_at_random(wide.value, type, offset, seed);
    result.low = rounded_at_random(wide.low, type, offset, seed);
    result.high = rounded_at_random(wide.high, type, offset, seed);
    return result;
}

} // namespace conformance
