// SPDX-License-Identifier: Apache-2.0
// The models of vdpbf16ps and vcvtne2ps2bf16 (tests/models), called as the kernels of the library
// over the models call them: against formulas in C++ and, where the CPU has the instructions,
// against the CPU. Compiled without a red zone.
#include "kernel_levels.hpp"

#include <array>
#include <bit>

#include "models/instruction_emulator.hpp"
#include "needs_avx512.hpp"

namespace dnnl::impl {
namespace {

using words = std::array<std::uint32_t, 16>;
using function = void (*)(words &c, const words &a, const words &b);

#define INSTRUCTION(name, before, text)                                                            \
    [[gnu::target("avx512f")]] void name(words &c, const words &a, const words &b) {               \
        asm volatile("vmovups (%1), %%zmm9\n\t"                                                    \
                     "vmovups (%2), %%zmm20\n\t"                                                   \
                     "vmovups (%0), %%zmm30\n\t" before text " %%zmm20, %%zmm9, %%zmm30\n\t"       \
                     "vmovups %%zmm30, (%0)"                                                       \
                     :                                                                             \
                     : "r"(c.data()), "r"(a.data()), "r"(b.data())                                 \
                     : "xmm9", "xmm20", "xmm30", "memory");                                        \
    }
INSTRUCTION(products_of_model, "call dnnl_carry_out_next\n\t", "vdpbf16ps")
INSTRUCTION(products_of_processor, "", "vdpbf16ps")
INSTRUCTION(halves_of_model, "call dnnl_carry_out_next\n\t", "vcvtne2ps2bf16")
INSTRUCTION(halves_of_processor, "", "vcvtne2ps2bf16")

bool is_number(std::uint32_t x) { return (x & 0x7f800000) != 0x7f800000; }
bool is_subnormal(std::uint32_t x) { return (x & 0x7f800000) == 0 && (x & 0x7fffff) != 0; }

// Any bits, and often those at the ends of ranges.
std::uint32_t drawn(numbers &random) {
    static constexpr std::uint32_t special[] = {0, 1, 0x8000, 0x007fffff, 0x00800000, 0x00807fff,
        0x3f808000, 0x3f818000, 0x3f807fff, 0x7f7fffff, 0x7f7f8000, 0x7f800000, 0x7f800001,
        0x7fc12345, 0x7fffffff};
    const std::uint32_t which = random.next() >> 24, bits = random.next();
    return which < 64 ? special[which % 15] | (bits & 0x80000000) : bits;
}
words drawn_words(numbers &random) {
    words w;
    for (std::uint32_t &x : w) x = drawn(random);
    return w;
}

std::uint16_t rounded(std::uint32_t x) {
    const bool up = (x & 0x18000) == 0x18000 || (x & 0xffff) > 0x8000;
    if (is_subnormal(x)) return static_cast<std::uint16_t>(x >> 16 & 0x8000);
    if (!is_number(x)) return static_cast<std::uint16_t>(x >> 16 | (x & 0x7fffff ? 0x40 : 0));
    return static_cast<std::uint16_t>((x >> 16) + up);
}

const needs_avx512 requirements("the model saves AVX-512 state");

// How many results of the model are not those of the processor, where it has the instruction.
int differences(function model, function processor, int trials) {
    if (!has(effective_isa(), isa::avx512_bf16)) {
        BOOST_TEST_MESSAGE("the model alone, the CPU or its cap lacks the instruction");
        return 0;
    }
    numbers random(7);
    int different = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const words c = drawn_words(random), a = drawn_words(random), b = drawn_words(random);
        words modelled = c, computed = c;
        model(modelled, a, b);
        processor(computed, a, b);
        different += modelled != computed;
    }
    return different;
}

} // namespace

BOOST_AUTO_TEST_CASE(halves_are_rounded) {
    numbers random(3);
    for (int trial = 0; trial < 4000; ++trial) {
        const words a = drawn_words(random), b = drawn_words(random);
        words c {};
        halves_of_model(c, a, b);
        const auto halves = std::bit_cast<std::array<std::uint16_t, 32>>(c);
        for (std::size_t i = 0; i < 16; ++i) {
            BOOST_REQUIRE_EQUAL(halves[i], rounded(b[i]));
            BOOST_REQUIRE_EQUAL(halves[16 + i], rounded(a[i]));
        }
    }
    BOOST_TEST(differences(halves_of_model, halves_of_processor, 70000) == 0);
}

BOOST_AUTO_TEST_CASE(products_of_small_integers_are_exact) {
    numbers random(4);
    const auto integer = [&] { return static_cast<int>(random.next() >> 25) - 64; };
    for (int trial = 0; trial < 4000; ++trial) {
        words a {}, b {}, c {}, sums {};
        for (std::size_t i = 0; i < 16; ++i) {
            int sum = integer();
            c[i] = std::bit_cast<std::uint32_t>(static_cast<f32>(sum));
            for (int half : {0, 16}) {
                const int x = integer(), y = integer();
                a[i] |= std::bit_cast<std::uint32_t>(static_cast<f32>(x)) >> 16 << half;
                b[i] |= std::bit_cast<std::uint32_t>(static_cast<f32>(y)) >> 16 << half;
                sum += x * y;
            }
            sums[i] = std::bit_cast<std::uint32_t>(static_cast<f32>(sum));
        }
        products_of_model(c, a, b);
        BOOST_REQUIRE(c == sums);
    }
}

BOOST_AUTO_TEST_CASE(products_agree_with_the_processor) {
    BOOST_TEST(differences(products_of_model, products_of_processor, 70000) == 0);
}

} // namespace dnnl::impl
