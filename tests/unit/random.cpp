// SPDX-License-Identifier: Apache-2.0
// The generator of dropout and stochastic rounding against its published values, and both uses on
// values worked by hand.
#include "common/attributes/attributes.hpp"

#include <bit>
#include <cmath>

#include "reference_run.hpp"

using namespace reference_run;

BOOST_AUTO_TEST_CASE(words_are_those_of_the_specification) {
    const struct {
        std::uint32_t index;
        int seed;
        std::uint32_t word;
    } rows[] = {{0, 0, 0x5D940E0D}, {1, 0, 0xA2B00D17}, {2, 0, 0xB28F2140}, {3, 0, 0x67392736},
        {4, 0, 0x4370F0B1}, {5, 1, 0x09C6B614}, {1000, 12345, 0x75E41CF9}, {7, -7, 0xD4E8E8B4}};
    for (const auto &row : rows)
        BOOST_TEST(random_word(row.index, {static_cast<std::uint64_t>(row.seed)}) == row.word);
}

BOOST_AUTO_TEST_CASE(words_with_an_offset_are_those_of_philox) {
    // Counter and key are digits of pi; a generator that gives the known answers of the authors
    // (counter 0, key 0: 6627E8D5 E169C58D BC57AC4C 9B00DBD8) made the words.
    const random_sequence pi {0x299F31D0A4093822u, 0x85A308D3243F6A88u};
    const std::uint64_t block = 0x0370734413198A2Cu;
    const std::uint32_t words[] = {0xD12EF3D8, 0xBC4EB577, 0xA9F381E8, 0x5AF77F7D};
    for (std::uint64_t i = 0; i < 4; ++i) BOOST_TEST(random_word(block + i, pi) == words[i]);
    BOOST_TEST(random_word(5, {7, 1}) != random_word(5, {7, 2}));
    BOOST_TEST(random_word(5, {7, 1}) != random_word(5, {7 + (std::uint64_t {1} << 32), 1}));
    BOOST_TEST(random_word(5, {7, 1}) != random_word(5 + (std::uint64_t {1} << 32), {7, 1}));
    // Without an offset indices and seeds are cut to 32 bits.
    BOOST_TEST(random_word(5, {7}) == random_word(5 + (std::uint64_t {1} << 32), {7}));
    BOOST_TEST(random_word(5, {7}) == random_word(5, {7 + (std::uint64_t {1} << 32)}));
}

BOOST_AUTO_TEST_CASE(dropout_compares_strictly_and_scales_by_the_unclamped_probability) {
    BOOST_TEST(dropout_threshold(0) == 0u);
    BOOST_TEST(dropout_threshold(1) == 0xFFFFFFFFu);
    BOOST_TEST(dropout_threshold(0.5f) == 0x7FFFFFFFu); // 2147483647.5
    BOOST_TEST(dropout_threshold(-3) == 0u);
    BOOST_TEST(dropout_threshold(7) == 0xFFFFFFFFu);
    BOOST_TEST(dropout_threshold(NAN) == 0xFFFFFFFFu);
    BOOST_TEST(dropout_scale(0) == 1.0f);
    BOOST_TEST(dropout_scale(0.75f) == 4.0f);
    BOOST_TEST(dropout_scale(1) == 0.0f);
    BOOST_TEST(dropout_scale(3) == -0.5f);
}

BOOST_AUTO_TEST_CASE(stochastic_rounding_adds_bits_and_cuts) {
    const auto bf16_type = data_type::bf16, f16_type = data_type::f16;
    const auto from_bits = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
    // R(0, 0) = 0x5D940E0D; its bytes from the lowest: 0D, 0E, 94, 5D.
    const std::uint32_t bytes[] = {0x0D, 0x0E, 0x94, 0x5D};
    for (dim_t offset = 0; offset < 4; ++offset) {
        const std::uint32_t needed = 0x10000 - bytes[offset]; // what just carries
        for (const std::uint32_t sign : {0u, 0x80000000u}) {
            const float up = from_bits(sign | 0x3F800000u | needed);
            const float down = from_bits(sign | 0x3F800000u | (needed - 1));
            BOOST_TEST(
                round_stochastically(up, bf16_type, offset, 0) == from_bits(sign | 0x3F810000u));
            BOOST_TEST(
                round_stochastically(down, bf16_type, offset, 0) == from_bits(sign | 0x3F800000u));
        }
    }
    // Offset 4 starts the word of index 1.
    BOOST_TEST(round_stochastically(from_bits(0x3F80FFE9), bf16_type, 4, 0) ==
               from_bits(0x3F810000)); // R(1, 0) = 0xA2B00D17
    BOOST_TEST(
        round_stochastically(from_bits(0x3F80FFE8), bf16_type, 4, 0) == from_bits(0x3F800000));
    // f16 cuts 13 bits, e4m3 20 with the halves of the word: 0E0D, 5D94.
    BOOST_TEST(
        round_stochastically(from_bits(0x3F801FF3), f16_type, 0, 0) == from_bits(0x3F802000));
    BOOST_TEST(round_stochastically(from_bits(0x3F801FF2), f16_type, 0, 0) == 1.0f);
    BOOST_TEST(round_stochastically(from_bits(0x3F8FF1F3), data_type::f8_e4m3, 0, 0) == 1.125f);
    BOOST_TEST(round_stochastically(from_bits(0x3F8FF1F2), data_type::f8_e4m3, 0, 0) == 1.0f);
    BOOST_TEST(round_stochastically(from_bits(0x3F8FA26C), data_type::f8_e4m3, 1, 0) == 1.125f);
    BOOST_TEST(round_stochastically(from_bits(0x3F8FA26B), data_type::f8_e4m3, 1, 0) == 1.0f);
}

BOOST_AUTO_TEST_CASE(stochastic_rounding_saturates_flushes_and_keeps_nan) {
    const auto f16_type = data_type::f16;
    BOOST_TEST(round_stochastically(1e6f, f16_type, 0, 0) == 65504.0f);
    BOOST_TEST(round_stochastically(-INFINITY, f16_type, 0, 0) == -65504.0f);
    BOOST_TEST(round_stochastically(INFINITY, data_type::f8_e5m2, 0, 0) == 57344.0f);
    BOOST_TEST(round_stochastically(0x1p-15f, f16_type, 0, 0) == 0.0f); // a subnormal of f16
    BOOST_TEST(round_stochastically(0x1p-14f, f16_type, 0, 0) == 0x1p-14f);
    BOOST_TEST(std::isnan(round_stochastically(NAN, f16_type, 0, 0)));
    BOOST_TEST(std::signbit(round_stochastically(-0.0f, f16_type, 0, 0)));
    BOOST_TEST(round_stochastically(1.0f / 3, data_type::f32, 3, 9) == 1.0f / 3);
    BOOST_TEST(round_stochastically(0x1p-130f, data_type::f32, 3, 9) == 0.0f);
    for (const data_type type : {data_type::s32, data_type::s8, data_type::u8, data_type::f64})
        BOOST_TEST(!can_round_stochastically(type));
}

namespace {
/// dst = src * {1}, 1x1 by 1x4, with dropout; dst and mask as given.
void drop(buffer &dst, buffer &mask, float p, int seed_value, const primitive_attr &also = {}) {
    buffer src(data_type::f32, {4, 1}, {1, 2, 3, 4}), weights(data_type::f32, {1, 2}, {1, 10});
    buffer probability(data_type::f32, {1}, {p}), seed(data_type::s32, {1});
    std::memcpy(seed.bytes.data(), &seed_value, sizeof seed_value);
    primitive_attr attr = also;
    attr.dropout = {true, mask.md, data_type::s32};
    BOOST_CHECK(!run(ref::make_matmul, matmul_desc {src.md, weights.md, {}, dst.md},
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst},
            {DNNL_ARG_ATTR_DROPOUT_MASK, mask}, {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, probability},
            {DNNL_ARG_ATTR_DROPOUT_SEED, seed}},
        attr));
}
} // namespace

BOOST_AUTO_TEST_CASE(matmul_drops_by_the_physical_offset) {
    // Seed 0, p = 0.5: R of 0 ... 3 is 5D94.., A2B0.., B28F.., 6739..: kept are 1 and 2; the words
    // 4 ... 7 are computed, word 4 is 4370..: dropped.
    const auto kept = [](dim_t offset) {
        return random_word(static_cast<std::uint64_t>(offset), {0}) > 0x7FFFFFFFu;
    };
    BOOST_TEST((!kept(0) && kept(1) && kept(2) && !kept(3) && !kept(4)));
    for (const auto tag : {dnnl_ab, dnnl_ba}) {
        buffer dst(data_type::f32, {4, 2}, {}, tag), mask(data_type::u8, {4, 2}, {}, tag);
        drop(dst, mask, 0.5f, 0);
        std::vector<float> results, masks;
        for (dim_t m = 0; m < 4; ++m)
            for (dim_t n = 0; n < 2; ++n) {
                const bool keep = kept(tag == dnnl_ab ? m * 2 + n : n * 4 + m);
                masks.push_back(keep);
                results.push_back(keep ? 2.0f * static_cast<float>((m + 1) * (n ? 10 : 1)) : 0.0f);
            }
        check(dst, results);
        check(mask, masks);
    }
}

BOOST_AUTO_TEST_CASE(dropout_comes_before_post_ops) {
    buffer dst(data_type::f32, {4, 2}), mask(data_type::u8, {4, 2});
    primitive_attr attr;
    attr.post_ops.entries.push_back(eltwise_post_op {dnnl_eltwise_linear, 1, 5});
    drop(dst, mask, 1, 3, attr);
    check(dst, std::vector<float>(8, 5));
    check(mask, std::vector<float>(8, 0));
    drop(dst, mask, 0, 3, attr);
    check(dst, {6, 15, 7, 25, 8, 35, 9, 45});
    check(mask, std::vector<float>(8, 1));
}
