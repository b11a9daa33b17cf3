// SPDX-License-Identifier: Apache-2.0
// The model of the AMX tiles: its instructions as the program meets them (emulated, or those of the
// CPU where it has them) against the model called directly and against plain loops; what the
// hardware refuses is a violation.
#include "amx_tiles.hpp"

#include <bit>
#include <cmath>

#include "common/layout/data_type.hpp"

namespace dnnl::impl {
namespace {

const needs_avx512 requirements("AMX kernels hold AVX-512 code");
using product = tile_model::product;

struct alignas(64) configuration {
    u8 palette = 1, start_row = 0, reserved[14] {};
    std::uint16_t column_bytes[16] {};
    u8 rows[16] {};
    configuration(int m, int n, int k_groups) {
        set(0, m, 4 * n);
        set(1, m, 4 * k_groups);
        set(2, k_groups, 4 * n);
    }
    void set(int tile, int tile_rows, int bytes) {
        rows[tile] = static_cast<u8>(tile_rows);
        column_bytes[tile] = static_cast<std::uint16_t>(bytes);
    }
};

struct operands {
    alignas(64) u8 c[16 * 64], a[16 * 64], b[16 * 64];
    explicit operands(std::uint32_t seed) {
        numbers random(seed);
        for (u8 *p : {c, a, b})
            for (int i = 0; i < 16 * 64; ++i) p[i] = static_cast<u8>(random.next());
    }
};

// c, stored after the product, by instructions with several forms of addresses.
void run_instructions(product what, const configuration &f, operands &o) {
    asm volatile("ldtilecfg %0" ::"m"(f));
    asm volatile("tileloadd (%0,%1,1), %%tmm0" ::"r"(o.c), "r"(64l) : "memory");
    const auto a = reinterpret_cast<std::uintptr_t>(o.a) - 16;
    const auto b = reinterpret_cast<std::uintptr_t>(o.b) - 0x1000;
    asm volatile("tileloaddt1 16(%0,%1,4), %%tmm1" ::"r"(a), "r"(16l) : "memory");
    asm volatile("tileloadd 0x1000(%0,%1,2), %%tmm2" ::"r"(b), "r"(32l) : "memory");
    switch (what) {
    case product::s8_s8: asm volatile("tdpbssd %tmm2, %tmm1, %tmm0"); break;
    case product::s8_u8: asm volatile("tdpbsud %tmm2, %tmm1, %tmm0"); break;
    case product::u8_s8: asm volatile("tdpbusd %tmm2, %tmm1, %tmm0"); break;
    case product::u8_u8: asm volatile("tdpbuud %tmm2, %tmm1, %tmm0"); break;
    case product::bf16: asm volatile("tdpbf16ps %tmm2, %tmm1, %tmm0"); break;
    }
    asm volatile("tilestored %%tmm0, (%0,%1,1)" ::"r"(o.c), "r"(64l) : "memory");
    asm volatile("tilerelease");
}
void run_model(product what, const configuration &f, operands &o) {
    tile_model tiles;
    tiles.load_configuration(&f);
    tiles.load(0, o.c, 64);
    tiles.load(1, o.a, 64);
    tiles.load(2, o.b, 64);
    tiles.multiply(what, 0, 1, 2);
    tiles.store(0, o.c, 64);
}

s32 s32_at(const u8 *p) {
    s32 value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

void check_bytes(product what, const configuration &f, const operands &before, const operands &o) {
    const bool signed_a = what == product::s8_s8 || what == product::s8_u8;
    const bool signed_b = what == product::s8_s8 || what == product::u8_s8;
    int wrong = 0;
    for (int m = 0; m < 16; ++m)
        for (int n = 0; n < 16; ++n) {
            std::int64_t sum = s32_at(before.c + 64 * m + 4 * n);
            if (m < f.rows[0] && 4 * n < f.column_bytes[0])
                for (int k = 0; k < f.column_bytes[1]; ++k) {
                    const u8 a = before.a[64 * m + k], b = before.b[k / 4 * 64 + 4 * n + k % 4];
                    sum +=
                        (signed_a ? static_cast<s8>(a) : a) * (signed_b ? static_cast<s8>(b) : b);
                }
            wrong += s32_at(o.c + 64 * m + 4 * n) != static_cast<s32>(sum);
        }
    BOOST_TEST(wrong == 0);
}

// One bf16 product of one row and one column: pairs a, b added to c.
f32 bf16_product(f32 c, std::vector<f32> a, std::vector<f32> b) {
    operands o(1);
    const int groups = static_cast<int>(a.size() / 2);
    std::memcpy(o.c, &c, sizeof c);
    for (int k = 0; k < 2 * groups; ++k) {
        const std::uint16_t left = f32_to_bf16(a[k]), right = f32_to_bf16(b[k]);
        std::memcpy(o.a + 2 * k, &left, 2);
        std::memcpy(o.b + k / 2 * 64 + k % 2 * 2, &right, 2);
    }
    run_instructions(product::bf16, configuration(1, 1, groups), o);
    std::memcpy(&c, o.c, sizeof c);
    return c;
}

// The violation of one step on configured tiles, 16 x 16 x 16 groups.
template <class Body> bool violates(const Body &body) {
    tile_model tiles;
    const configuration whole(16, 16, 16);
    tiles.load_configuration(&whole);
    tile_model::reset_violation();
    body(tiles);
    const bool violated = tile_model::violation() != nullptr;
    tile_model::reset_violation();
    return violated;
}
template <class Change> bool refuses_configuration(const Change &change) {
    configuration f(16, 16, 16);
    change(f);
    return violates([&](tile_model &tiles) { tiles.load_configuration(&f); });
}

} // namespace

BOOST_AUTO_TEST_CASE(products_of_bytes) {
    const amx_tiles tiles;
    for (product what : {product::s8_s8, product::s8_u8, product::u8_s8, product::u8_u8})
        for (int size = 1; size <= 16; ++size) {
            const configuration f(size, 17 - size, (size * 7) % 16 + 1);
            const operands before(static_cast<std::uint32_t>(size));
            operands o = before;
            run_instructions(what, f, o);
            check_bytes(what, f, before, o);
        }
}

// Random bits: all exponents, subnormal values and infinities; a NaN may be any.
BOOST_AUTO_TEST_CASE(products_of_bf16) {
    const amx_tiles tiles;
    for (int size = 1; size <= 16; ++size) {
        const configuration f(size, 17 - size, (size * 7) % 16 + 1);
        operands o(static_cast<std::uint32_t>(size)), direct = o;
        run_instructions(product::bf16, f, o);
        run_model(product::bf16, f, direct);
        int wrong = 0;
        for (int i = 0; i < 16 * 64; i += 4) {
            const f32 x = std::bit_cast<f32>(s32_at(o.c + i));
            const f32 y = std::bit_cast<f32>(s32_at(direct.c + i));
            wrong += !(std::isnan(x) && std::isnan(y)) && s32_at(o.c + i) != s32_at(direct.c + i);
        }
        BOOST_TEST(wrong == 0);
    }
}

// The order of the sums and the flushing, by values that tell them from others.
BOOST_AUTO_TEST_CASE(bf16_order_and_flushing) {
    const amx_tiles tiles;
    const f32 big = 0x1p25f, tiny = 0x1p-126f, half_tiny = 0x1p-127f;
    // even: big + 1 = big; odd: -big; their sum, then c
    BOOST_TEST(bf16_product(3.0f, {big, -big, 1, 0}, {1, 1, 1, 0}) == 3.0f);
    // even: big - big + 1 = 1
    BOOST_TEST(bf16_product(3.0f, {big, 0, -big, 0, 1, 0}, {1, 0, 1, 0, 1, 0}) == 4.0f);
    // c comes last: the sums cancel before they meet it
    BOOST_TEST(bf16_product(1.0f, {big, -big}, {1, 1}) == 1.0f);
    BOOST_TEST(bf16_product(0.0f, {half_tiny, 0}, {2, 0}) == 0.0f);
    BOOST_TEST(bf16_product(0.0f, {tiny, 0}, {0.5f, 0}) == 0.0f);
    BOOST_TEST(bf16_product(half_tiny, {0, 0}, {0, 0}) == 0.0f);
    BOOST_TEST(bf16_product(tiny, {tiny, 0}, {1, 0}) == 2 * tiny);
    // fused: 257/256 * 257/256 - 1 keeps its last bit
    BOOST_TEST(bf16_product(0.0f, {-1, 0, 1.0078125f, 0}, {1, 0, 1.0078125f, 0}) ==
               2 * 0.0078125f + 0.0078125f * 0.0078125f);
}

BOOST_AUTO_TEST_CASE(configuration_is_stored_and_released) {
    const amx_tiles tiles;
    const configuration f(5, 6, 7);
    configuration stored(1, 1, 1);
    asm volatile("ldtilecfg %0" ::"m"(f));
    asm volatile("sttilecfg %0" : "=m"(stored));
    BOOST_TEST(std::memcmp(&f, &stored, sizeof f) == 0);
    asm volatile("tilerelease");
    asm volatile("sttilecfg %0" : "=m"(stored));
    const std::vector<u8> zeros(64);
    BOOST_TEST(std::memcmp(zeros.data(), &stored, sizeof stored) == 0);
}

BOOST_AUTO_TEST_CASE(refused_configurations) {
    BOOST_TEST(!refuses_configuration([](configuration &) {}));
    BOOST_TEST(refuses_configuration([](configuration &f) { f.palette = 2; }));
    BOOST_TEST(refuses_configuration([](configuration &f) { f.start_row = 1; }));
    BOOST_TEST(refuses_configuration([](configuration &f) { f.reserved[13] = 1; }));
    BOOST_TEST(refuses_configuration([](configuration &f) { f.set(1, 17, 64); }));
    BOOST_TEST(refuses_configuration([](configuration &f) { f.set(1, 16, 65); }));
    BOOST_TEST(refuses_configuration([](configuration &f) { f.set(1, 0, 64); }));
    BOOST_TEST(refuses_configuration([](configuration &f) { f.set(1, 16, 0); }));
    BOOST_TEST(refuses_configuration([](configuration &f) { f.set(8, 16, 64); }));
}

BOOST_AUTO_TEST_CASE(refused_instructions) {
    u8 memory[16 * 64] {};
    const auto with = [](int m, int n, int k, auto body) {
        return violates([&](tile_model &t) {
            configuration f(16, 16, 16);
            f.set(1, m, 4 * k);
            f.set(2, k, 4 * n);
            t.load_configuration(&f);
            body(t);
        });
    };
    const auto multiply = [](tile_model &t) { t.multiply(product::s8_s8, 0, 1, 2); };
    BOOST_TEST(!violates(multiply));
    BOOST_TEST(!with(16, 16, 3, multiply));
    BOOST_TEST(with(15, 16, 16, multiply));
    BOOST_TEST(with(16, 15, 16, multiply));
    BOOST_TEST(violates([](tile_model &t) { t.multiply(product::bf16, 0, 0, 2); }));
    BOOST_TEST(violates([](tile_model &t) { t.multiply(product::bf16, 0, 1, 3); }));
    BOOST_TEST(violates([&](tile_model &t) { t.load(3, memory, 64); }));
    BOOST_TEST(violates([&](tile_model &t) { t.store(8, memory, 64); }));
    BOOST_TEST(violates([](tile_model &t) { t.release(), t.zero(0); }));
}

} // namespace dnnl::impl
