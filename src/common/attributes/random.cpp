// SPDX-License-Identifier: Apache-2.0
#include "common/attributes/random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>

namespace dnnl::impl {

std::uint32_t random_word(std::uint32_t index, std::uint32_t seed) {
    const std::uint32_t first = index & ~3u;
    std::array<std::uint32_t, 4> c {first, first + 1, first + 2, first + 3};
    std::uint32_t key0 = seed, key1 = seed;
    for (int round = 0; round < 10; ++round) {
        if (round > 0) {
            key0 += 0x9E3779B9u; // the golden ratio
            key1 += 0xBB67AE85u; // sqrt(3) - 1
        }
        const std::uint64_t p = std::uint64_t {0xD2511F53u} * c[0];
        const std::uint64_t q = std::uint64_t {0xCD9E8D57u} * c[2];
        const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
        const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
        c = {high(q) ^ c[1] ^ key0, low(q), high(p) ^ c[3] ^ key1, low(p)};
    }
    return c[index & 3];
}

std::uint32_t dropout_threshold(float probability) {
    if (std::isnan(probability)) return 0xFFFFFFFFu;
    const double clamped = std::clamp(probability, 0.0f, 1.0f);
    // An integer exceeds a real number exactly when it exceeds the integer part.
    return static_cast<std::uint32_t>(4294967295.0 * clamped);
}

float dropout_scale(float probability) {
    return probability != 1 ? 1.0f / (1.0f - probability) : 0.0f;
}

float_format float_format_of(data_type type) {
    switch (type) {
    case data_type::f32: return {24, 4, FLT_MIN, FLT_MAX};
    case data_type::f16: return {11, 2, 0x1p-14f, 65504};
    case data_type::bf16: return {8, 2, FLT_MIN, 0x1.fep127f};
    case data_type::f8_e4m3: return {4, 1, 0x1p-6f, 448};
    case data_type::f8_e5m2: return {3, 1, 0x1p-14f, 57344};
    case data_type::f4_e2m1: return {2, 1, 1, 6};
    case data_type::f4_e3m0: return {1, 1, 0.25f, 16};
    default: return {0, 0, 0, 0};
    }
}

namespace {
/// Random bits of the element at `offset`; a word serves four bytes or two halves.
std::uint32_t random_bits(const float_format &format, dim_t offset, std::uint32_t seed) {
    const int per_word = format.per_random_word(), bits = 32 / per_word;
    const auto word = random_word(static_cast<std::uint32_t>(offset / per_word), seed);
    return word >> (offset % per_word * bits) & ((1u << bits) - 1);
}
} // namespace

bool can_round_stochastically(data_type dst) { return float_format_of(dst).digits > 0; }

float round_stochastically(float value, data_type dst, dim_t offset, std::int32_t seed) {
    if (std::isnan(value)) return value;
    const float_format format = float_format_of(dst);
    const std::uint32_t kept = format.kept();
    const std::uint32_t random = random_bits(format, offset, static_cast<std::uint32_t>(seed));
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value) + (random & ~kept);
    const float cut = std::bit_cast<float>(bits & kept);
    const float saturated = std::clamp(cut, -format.max, format.max);
    const bool subnormal = saturated != 0 && std::fabs(saturated) < format.min_normal;
    return subnormal ? 0.0f : saturated;
}

} // namespace dnnl::impl
