// SPDX-License-Identifier: Apache-2.0
// Conversions of rows between f32 and every element type, against the scalar ones: all codes of the
// types of at most 8 bits, and f32 values around every boundary of their roundings.
#include "kernel_levels.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "common/layout/data_type.hpp"
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/simd/vec.hpp"

using namespace dnnl::impl;

namespace {

struct row_kernels {
    const char *name;
    void (*to_f32)(const void *, data_type, dim_t, dim_t, f32 *);
    void (*to_s32)(const void *, data_type, dim_t, dim_t, s32 *);
    void (*from_f32)(const f32 *, dim_t, data_type, void *);
    void (*from_s32)(const s32 *, dim_t, data_type, void *);
    void (*unpack)(const void *, dim_t, void *);
    void (*pack)(const void *, dim_t, void *);
};

template <class Isa> row_kernels kernels_of(const char *name) {
    return {name, cpu::row_to_f32<Isa>, cpu::row_to_s32<Isa>, cpu::row_from_f32<Isa>,
        cpu::row_from_s32<Isa>, cpu::unpack_nibbles<Isa>, cpu::pack_nibbles<Isa>};
}

template <class Body> void for_each_width(const Body &body) {
    if (has(effective_isa(), isa::sse41)) BOOST_TEST_CONTEXT("sse41") {
            body(kernels_of<cpu::sse41>("sse41"));
        }
    if (has(effective_isa(), isa::avx2)) BOOST_TEST_CONTEXT("avx2") {
            body(kernels_of<cpu::avx2>("avx2"));
        }
    if (has(effective_isa(), isa::avx512)) BOOST_TEST_CONTEXT("avx512") {
            body(kernels_of<cpu::avx512>("avx512"));
        }
}

const data_type code_types[] = {data_type::f8_e5m2, data_type::f8_e4m3, data_type::e8m0,
    data_type::f4_e2m1, data_type::s4, data_type::u4};

/// The same value and sign, or both NaN.
bool same(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

/// Values of all codes, the points halfway between neighbours, and a few bits on both sides of
/// each; powers of two, limits, subnormal values and NaN of both signs.
std::vector<float> edge_values() {
    std::set<std::uint32_t> bits {0, 1, 0x3fffff, 0x400000, 0x400001, 0x5fffff, 0x600000, 0x600001,
        0x7fffff, 0x800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff};
    for (std::uint32_t exponent = 0; exponent < 255; ++exponent)
        for (std::uint32_t mantissa = 0; mantissa < 32; ++mantissa)
            for (std::uint32_t near : {0u, 1u, 0x3ffffu, 0xffffffffu})
                bits.insert(((exponent << 23 | mantissa << 18) + near) & 0x7fffffff);
    std::vector<float> values;
    for (std::uint32_t b : bits) {
        values.push_back(std::bit_cast<float>(b));
        values.push_back(std::bit_cast<float>(b | 0x80000000u));
    }
    return values;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_code_widens_exactly) {
    for_each_width([](const row_kernels &k) {
        for (data_type type : code_types) {
            const int codes = is_4bit(type) ? 16 : 256;
            guarded_array<std::uint8_t> from(static_cast<std::size_t>(codes));
            for (int c = 0; c < codes; ++c) from[static_cast<std::size_t>(c)] = std::uint8_t(c);
            for (int first = 0; first < codes; ++first) { // all lengths of a tail
                std::vector<float> to(256, -77.0f);
                k.to_f32(from.data() + first, type, 1, codes - first, to.data());
                for (int c = first; c < codes; ++c)
                    BOOST_REQUIRE_MESSAGE(
                        same(to[std::size_t(c - first)], code_to_f32(type, std::uint8_t(c))),
                        name_of(type) << " code " << c << " gave " << to[std::size_t(c - first)]);
                if (first > 0) BOOST_REQUIRE(to[std::size_t(codes - first)] == -77.0f);
            }
            std::vector<float> every_third(86);
            k.to_f32(from.data(), type, 3, (codes + 2) / 3, every_third.data());
            for (int c = 0; c < codes; c += 3)
                BOOST_REQUIRE(
                    same(every_third[std::size_t(c / 3)], code_to_f32(type, std::uint8_t(c))));
        }
    });
}

BOOST_AUTO_TEST_CASE(values_round_as_the_scalar_conversion_does) {
    const std::vector<float> values = edge_values();
    for_each_width([&](const row_kernels &k) {
        for (data_type type : code_types)
            for (std::size_t at = 0; at < values.size(); at += 500) {
                const std::size_t n =
                    std::min<std::size_t>(500 - at / 500 % 17, values.size() - at);
                guarded_array<std::uint8_t> to(n);
                k.from_f32(&values[at], dim_t(n), type, to.data());
                for (std::size_t i = 0; i < n; ++i)
                    BOOST_REQUIRE_MESSAGE(to[i] == f32_to_code(type, values[at + i]),
                        values[at + i] << " to " << name_of(type) << " gave " << int(to[i])
                                       << " instead of " << int(f32_to_code(type, values[at + i])));
            }
    });
}

BOOST_AUTO_TEST_CASE(integers_of_four_bits_saturate) {
    for_each_width([](const row_kernels &k) {
        for (data_type type : {data_type::s4, data_type::u4}) {
            const s32 low = type == data_type::s4 ? -8 : 0;
            std::vector<s32> values {INT32_MIN, INT32_MAX, -1000, 1000};
            for (s32 x = -20; x < 20; ++x) values.push_back(x);
            std::vector<std::uint8_t> codes(values.size());
            std::vector<s32> back(values.size());
            k.from_s32(values.data(), dim_t(values.size()), type, codes.data());
            k.to_s32(codes.data(), type, 1, dim_t(values.size()), back.data());
            for (std::size_t i = 0; i < values.size(); ++i)
                BOOST_TEST(back[i] == std::clamp(values[i], low, low + 15));
        }
    });
}

BOOST_AUTO_TEST_CASE(nibbles_pack_and_unpack) {
    for_each_width([](const row_kernels &k) {
        numbers draw(5);
        for (std::size_t n = 0; n < 140; ++n) {
            guarded_array<std::uint8_t> pairs((n + 1) / 2), codes(n), back((n + 1) / 2);
            for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = std::uint8_t(draw.next());
            if (n % 2) pairs[n / 2] &= 15;
            k.unpack(pairs.data(), dim_t(n), codes.data());
            for (std::size_t i = 0; i < n; ++i)
                BOOST_REQUIRE(codes[i] == nibble_of(pairs[i / 2], dim_t(i)));
            k.pack(codes.data(), dim_t(n), back.data());
            BOOST_REQUIRE(std::memcmp(back.data(), pairs.data(), pairs.size()) == 0);
        }
    });
}
