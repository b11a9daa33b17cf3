// SPDX-License-Identifier: Apache-2.0
// Scalar models of the machine-learning instructions against the hardware, bit for bit:
// vpdpbusd, vcvtne2ps2bf16, vdpbf16ps and the tile products of AMX.
#include "kernel_levels.hpp"

#include <algorithm>
#include <cmath>
#include <immintrin.h>

namespace dnnl::impl {
namespace {

f32 from_bits(std::uint32_t bits) {
    f32 x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
std::uint32_t bits_of(f32 x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
bool subnormal(f32 x) { return std::fpclassify(x) == FP_SUBNORMAL; }
f32 flushed(f32 x) { return subnormal(x) ? std::copysign(0.0f, x) : x; }
f32 widened(std::uint16_t bits) { return from_bits(static_cast<std::uint32_t>(bits) << 16); }

// True when the machine has the level; otherwise the case is skipped, and says so.
bool available(isa level, const char *name) {
    if (has(effective_isa(), level)) return true;
    BOOST_TEST_MESSAGE("skipped " << name << ": the CPU or its cap lacks it");
    return false;
}

// d + the four products u * s, exact, then modulo 2^32.
s32 dot_of_bytes(s32 d, const u8 *u, const s8 *s) {
    std::uint32_t sum = static_cast<std::uint32_t>(d);
    for (int j = 0; j < 4; ++j) sum += static_cast<std::uint32_t>(u[j] * s[j]);
    return static_cast<s32>(sum);
}

// Nearest even; subnormal values to zero, NaN quiet.
std::uint16_t to_bf16(f32 x) {
    const std::uint32_t bits = bits_of(flushed(x));
    if (std::isnan(x)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// Two chained fused multiply-adds, the odd element first; subnormal values are zero throughout.
f32 dot_of_bf16(f32 d, const std::uint16_t *a, const std::uint16_t *b) {
    const f32 odd = flushed(std::fma(flushed(widened(a[1])), flushed(widened(b[1])), flushed(d)));
    return flushed(std::fma(flushed(widened(a[0])), flushed(widened(b[0])), odd));
}

[[gnu::target("avx512f,avx512vnni")]] void hardware_dot_of_bytes(s32 *d, const u8 *u, const s8 *s) {
    _mm512_storeu_si512(d,
        _mm512_dpbusd_epi32(_mm512_loadu_si512(d), _mm512_loadu_si512(u), _mm512_loadu_si512(s)));
}
[[gnu::target("avx512f,avx512bf16")]] void hardware_to_bf16(
    const f32 *first, const f32 *second, std::uint16_t *to) {
    const auto packed = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(first), _mm512_loadu_ps(second));
    __builtin_memcpy(to, &packed, sizeof packed);
}
[[gnu::target("avx512f,avx512bf16")]] void hardware_dot_of_bf16(
    f32 *d, const std::uint16_t *a, const std::uint16_t *b) {
    __m512bh left, right;
    __builtin_memcpy(&left, a, sizeof left);
    __builtin_memcpy(&right, b, sizeof right);
    _mm512_storeu_ps(d, _mm512_dpbf16_ps(_mm512_loadu_ps(d), left, right));
}

// bf16 with exponents from subnormal results to overflow, no infinities or NaN.
std::uint16_t any_bf16(numbers &random, int low_exponent, int high_exponent) {
    const int exponent = random.between(low_exponent, high_exponent);
    return static_cast<std::uint16_t>(
        (random.next() >> 31) << 15 | exponent << 7 | random.between(0, 127));
}

} // namespace

BOOST_AUTO_TEST_CASE(vpdpbusd) {
    if (!available(isa::avx512_vnni, "vpdpbusd")) return;
    numbers random(1);
    int wrong = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        u8 u[64];
        s8 s[64];
        s32 d[16], expected[16];
        const bool extreme = trial % 4 == 0;
        for (int i = 0; i < 64; ++i) {
            u[i] = extreme ? 255 : static_cast<u8>(random.next() >> 24);
            s[i] =
                extreme ? (random.next() >> 31 ? 127 : -128) : static_cast<s8>(random.next() >> 24);
        }
        for (int i = 0; i < 16; ++i) {
            d[i] =
                extreme ? (i % 2 ? INT32_MAX - i : INT32_MIN + i) : static_cast<s32>(random.next());
            expected[i] = dot_of_bytes(d[i], u + 4 * i, s + 4 * i);
        }
        hardware_dot_of_bytes(d, u, s);
        wrong += !std::equal(d, d + 16, expected);
    }
    BOOST_TEST(wrong == 0);
    const u8 ones[4] = {1, 1, 1, 1};
    const s8 also_ones[4] = {1, 1, 1, 1};
    BOOST_TEST(dot_of_bytes(2147483647, ones, also_ones) == -2147483645); // wraps
}

BOOST_AUTO_TEST_CASE(vcvtne2ps2bf16) {
    if (!available(isa::avx512_bf16, "vcvtne2ps2bf16")) return;
    int wrong = 0;
    for (std::uint32_t high = 0; high < 65536; ++high) {
        f32 first[16], second[16];
        std::uint16_t to[32];
        for (std::uint32_t i = 0; i < 16; ++i) {
            constexpr std::uint32_t low[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff, 0x4000, 0xc000};
            first[i] = from_bits(high << 16 | low[i % 8]);
            second[i] = from_bits(high << 16 | (low[i % 8] ^ 0x1234));
        }
        hardware_to_bf16(first, second, to);
        // The second operand comes out in the low half.
        for (int i = 0; i < 16; ++i)
            wrong += to[i] != to_bf16(second[i]) || to[16 + i] != to_bf16(first[i]);
    }
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(vdpbf16ps) {
    if (!available(isa::avx512_bf16, "vdpbf16ps")) return;
    numbers random(2);
    int wrong = 0;
    constexpr int ranges[][2] = {{120, 134}, {0, 80}, {40, 90}, {1, 254}};
    for (int trial = 0; trial < 40000; ++trial) {
        const auto &range = ranges[trial % 4];
        std::uint16_t a[32], b[32];
        f32 d[16], expected[16];
        for (int i = 0; i < 32; ++i) {
            a[i] = any_bf16(random, range[0], range[1]);
            b[i] = any_bf16(random, range[0], range[1]);
        }
        for (int i = 0; i < 16; ++i) {
            const std::uint32_t high = any_bf16(random, range[0], range[1]);
            d[i] = from_bits(high << 16 | random.next() >> 16);
            expected[i] = dot_of_bf16(d[i], a + 2 * i, b + 2 * i);
        }
        hardware_dot_of_bf16(d, a, b);
        for (int i = 0; i < 16; ++i)
            wrong += bits_of(d[i]) != bits_of(expected[i]) &&
                     !(std::isnan(d[i]) && std::isnan(expected[i]));
    }
    BOOST_TEST(wrong == 0);
}

namespace {

struct alignas(64) tile_configuration {
    u8 palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t column_bytes[16] = {64, 64, 64};
    u8 rows[16] = {16, 16, 16};
};

// c += a * b for 16 x 16 sums: u8 x s8 in groups of four, by one tile product.
void hardware_tile_product(s32 *c, const u8 *a, const s8 *b) {
    const tile_configuration configuration;
    asm volatile("ldtilecfg %0" ::"m"(configuration));
    asm volatile("tileloadd (%0,%1,1), %%tmm0" ::"r"(c), "r"(64l) : "memory");
    asm volatile("tileloadd (%0,%1,1), %%tmm1" ::"r"(a), "r"(64l) : "memory");
    asm volatile("tileloadd (%0,%1,1), %%tmm2" ::"r"(b), "r"(64l) : "memory");
    asm volatile("tdpbusd %tmm2, %tmm1, %tmm0");
    asm volatile("tilestored %%tmm0, (%0,%1,1)" ::"r"(c), "r"(64l) : "memory");
    asm volatile("tilerelease");
}

} // namespace

BOOST_AUTO_TEST_CASE(tdpbusd) {
    if (!available(isa::amx, "tdpbusd") || !request_amx_permission()) return;
    numbers random(3);
    for (int trial = 0; trial < 200; ++trial) {
        u8 a[1024];
        s8 b[1024];
        s32 c[256], expected[256];
        for (u8 &v : a) v = static_cast<u8>(random.next() >> 24);
        for (s8 &v : b) v = static_cast<s8>(random.next() >> 24);
        for (s32 &v : c) v = static_cast<s32>(random.next());
        std::copy(c, c + 256, expected);
        for (int m = 0; m < 16; ++m)
            for (int n = 0; n < 16; ++n)
                for (int k = 0; k < 16; ++k)
                    expected[m * 16 + n] =
                        dot_of_bytes(expected[m * 16 + n], a + m * 64 + k * 4, b + k * 64 + n * 4);
        hardware_tile_product(c, a, b);
        BOOST_TEST(std::equal(c, c + 256, expected));
    }
}

} // namespace dnnl::impl
