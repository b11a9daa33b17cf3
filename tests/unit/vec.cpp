// SPDX-License-Identifier: Apache-2.0
// The vector types of cpu/simd at all widths: conversions over all 16-bit values and all rounding
// cases of f32, partial loads and stores next to inaccessible pages, the operations lane by lane.
#include "kernel_levels.hpp"
#include "vec_operations.hpp"

#include <algorithm>
#include <cmath>

#include "common/layout/data_type.hpp"

namespace dnnl::impl::cpu {

struct sse41;
struct avx2;
struct avx512;

namespace {

template <class Body> void for_each_width(const Body &body) {
    for_each_level([&](const kernel_level &level) {
        if (level.mask == isa::sse41) body(operations<sse41>());
        if (level.mask == isa::avx2) body(operations<avx2>());
        if (level.mask == isa::avx512) body(operations<avx512>());
    });
}

std::uint32_t bits_of(f32 x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
f32 from_bits(std::uint32_t bits) {
    f32 x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
bool same(f32 a, f32 b) { return bits_of(a) == bits_of(b) || (std::isnan(a) && std::isnan(b)); }

std::vector<std::uint16_t> all_halves() {
    std::vector<std::uint16_t> x(65536);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint16_t>(i);
    return x;
}

// Every sign, exponent and leading fraction with the low bits on, below and above the ties of
// bf16 (bit 15) and f16 (bit 12).
std::vector<f32> rounding_cases() {
    std::vector<f32> x;
    for (std::uint32_t high = 0; high < 65536; ++high)
        for (std::uint32_t middle = 0; middle < 8; ++middle)
            for (std::uint32_t low : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu})
                x.push_back(from_bits(high << 16 | middle << 13 | low));
    return x;
}

} // namespace

BOOST_AUTO_TEST_CASE(halves_to_f32) {
    const std::vector<std::uint16_t> x = all_halves();
    std::vector<f32> y(x.size());
    for_each_width([&](const vec_operations &op) {
        op.convert(data_type::bf16, x.data(), data_type::f32, y.data(), 65536);
        int wrong = 0;
        for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(y[i], bf16_to_f32(x[i]));
        op.convert(data_type::f16, x.data(), data_type::f32, y.data(), 65536);
        for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(y[i], f16_to_f32(x[i]));
        BOOST_TEST(wrong == 0);
    });
}

BOOST_AUTO_TEST_CASE(f32_to_every_type) {
    const std::vector<f32> x = rounding_cases();
    const dim_t n = static_cast<dim_t>(x.size());
    std::vector<std::uint16_t> halves(x.size());
    std::vector<s32> words(x.size());
    std::vector<s8> signed_bytes(x.size());
    std::vector<u8> bytes(x.size());
    for_each_width([&](const vec_operations &op) {
        int wrong[5] = {};
        op.convert(data_type::f32, x.data(), data_type::bf16, halves.data(), n);
        for (std::size_t i = 0; i < x.size(); ++i) wrong[0] += halves[i] != f32_to_bf16(x[i]);
        op.convert(data_type::f32, x.data(), data_type::f16, halves.data(), n);
        for (std::size_t i = 0; i < x.size(); ++i)
            wrong[1] += !same(f16_to_f32(halves[i]), f16_to_f32(f32_to_f16(x[i])));
        op.convert(data_type::f32, x.data(), data_type::s32, words.data(), n);
        for (std::size_t i = 0; i < x.size(); ++i) wrong[2] += words[i] != f32_to_s32(x[i]);
        op.convert(data_type::f32, x.data(), data_type::s8, signed_bytes.data(), n);
        for (std::size_t i = 0; i < x.size(); ++i) wrong[3] += signed_bytes[i] != f32_to_s8(x[i]);
        op.convert(data_type::f32, x.data(), data_type::u8, bytes.data(), n);
        for (std::size_t i = 0; i < x.size(); ++i) wrong[4] += bytes[i] != f32_to_u8(x[i]);
        for (int w : wrong) BOOST_TEST(w == 0);
    });
}

// The figures of the rules themselves, not of another implementation.
BOOST_AUTO_TEST_CASE(saturation_and_ties_by_hand) {
    const std::vector<f32> x = {NAN, INFINITY, -INFINITY, 3e9f, -3e9f, 2147483520.0f, 0.5f, 1.5f,
        2.5f, -0.5f, -1.5f, 126.5f, 127.5f, 254.5f, 255.5f, -128.5f, -129.0f};
    const std::vector<s32> as_s32 = {0, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 2147483520, 0,
        2, 2, 0, -2, 126, 128, 254, 256, -128, -129};
    const dim_t n = static_cast<dim_t>(x.size());
    for_each_width([&](const vec_operations &op) {
        std::vector<s32> words(x.size());
        std::vector<s8> signed_bytes(x.size());
        std::vector<u8> bytes(x.size());
        op.convert(data_type::f32, x.data(), data_type::s32, words.data(), n);
        op.convert(data_type::f32, x.data(), data_type::s8, signed_bytes.data(), n);
        op.convert(data_type::f32, x.data(), data_type::u8, bytes.data(), n);
        for (std::size_t i = 0; i < x.size(); ++i) {
            BOOST_TEST(words[i] == as_s32[i]);
            BOOST_TEST(signed_bytes[i] == std::clamp(as_s32[i], -128, 127));
            BOOST_TEST(bytes[i] == std::clamp(as_s32[i], 0, 255));
        }
        op.narrow(as_s32.data(), data_type::s8, signed_bytes.data(), n);
        op.narrow(as_s32.data(), data_type::u8, bytes.data(), n);
        for (std::size_t i = 0; i < x.size(); ++i) {
            BOOST_TEST(signed_bytes[i] == std::clamp(as_s32[i], -128, 127));
            BOOST_TEST(bytes[i] == std::clamp(as_s32[i], 0, 255));
        }
    });
}

BOOST_AUTO_TEST_CASE(partial_vectors_stay_inside) {
    constexpr data_type types[] = {data_type::f32, data_type::bf16, data_type::f16, data_type::s32,
        data_type::s8, data_type::u8};
    const std::vector<f32> numbers_1_to_40 = [] {
        std::vector<f32> x(40);
        for (int i = 0; i < 40; ++i) x[static_cast<std::size_t>(i)] = static_cast<f32>(i + 1);
        return x;
    }();
    for_each_width([&](const vec_operations &op) {
        for (data_type t : types)
            for (dim_t n = 0; n <= 2 * op.lanes + 1; ++n) {
                const std::size_t bytes = static_cast<std::size_t>(n) * size_of(t);
                guarded_array<char> there(bytes);
                guarded_array<f32> back(static_cast<std::size_t>(n));
                op.convert(data_type::f32, numbers_1_to_40.data(), t, there.data(), n);
                op.convert(t, there.data(), data_type::f32, back.data(), n);
                BOOST_TEST(std::equal(back.data(), back.data() + n, numbers_1_to_40.begin()));
            }
    });
}

BOOST_AUTO_TEST_CASE(lanes_of_f32) {
    const f32 special[] = {
        0.0f, -0.0f, 1.0f, -1.5f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN, 1e-45f};
    for_each_width([&](const vec_operations &op) {
        for (f32 a : special)
            for (f32 b : special) {
                std::vector<f32> va(16, a), vb(16, b);
                f32 r[vec_operations::arithmetic_count][16];
                op.arithmetic(va.data(), vb.data(), r);
                const bool nan = std::isnan(a) || std::isnan(b);
                const f32 expected[] = {a > b ? a : b, a < b ? a : b,
                    nan     ? NAN
                    : a > b ? a
                            : b,
                    nan     ? NAN
                    : a < b ? a
                            : b,
                    std::fma(a, b, a), std::fma(-a, b, a), std::copysign(a, b), a < b ? a : b};
                for (int k = 0; k < vec_operations::arithmetic_count; ++k)
                    for (int i = 0; i < op.lanes; ++i)
                        BOOST_TEST(same(r[k][i], expected[k]),
                            "operation " << k << ": " << a << ", " << b << " gives " << r[k][i]);
            }
    });
}

BOOST_AUTO_TEST_CASE(lanes_of_s32) {
    for_each_width([](const vec_operations &op) {
        numbers random(11);
        for (int trial = 0; trial < 100; ++trial) {
            s32 a[16], b[16], r[vec_operations::integer_count][16];
            for (int i = 0; i < 16; ++i) {
                a[i] = static_cast<s32>(random.next());
                b[i] = static_cast<s32>(random.next());
            }
            op.integer(a, b, r);
            for (int i = 0; i < op.lanes; ++i) {
                const std::uint32_t x = static_cast<std::uint32_t>(a[i]),
                                    y = static_cast<std::uint32_t>(b[i]);
                BOOST_TEST(r[0][i] == static_cast<s32>(x + y));
                BOOST_TEST(r[1][i] == static_cast<s32>(x * y));
                BOOST_TEST(r[2][i] == static_cast<s32>(x & y));
                BOOST_TEST(r[3][i] == static_cast<s32>(x << 5));
                BOOST_TEST(r[4][i] == static_cast<s32>(x >> 5));
                BOOST_TEST(r[5][i] == a[i] >> 5);
                BOOST_TEST(r[6][i] == i);
                BOOST_TEST(r[7][i] == (a[i] > b[i]));
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(across_lanes) {
    for_each_width([](const vec_operations &op) {
        f32 a[16], r[3], sum = 0;
        s32 b[16], total = 0, s = 0;
        for (int i = 0; i < 16; ++i) {
            a[i] = static_cast<f32>((i * 7) % 16 - 5);
            b[i] = i * 1000001 - 77;
            if (i < op.lanes) sum += a[i], s += b[i];
        }
        op.across(a, b, r, &total);
        BOOST_TEST(r[0] == sum);
        BOOST_TEST(r[1] == *std::max_element(a, a + op.lanes));
        BOOST_TEST(r[2] == *std::min_element(a, a + op.lanes));
        BOOST_TEST(total == s);
    });
}

} // namespace dnnl::impl::cpu
