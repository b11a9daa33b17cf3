// SPDX-License-Identifier: Apache-2.0
// The model of vpdpbusd (tests/models), called as the kernels of the library over the models call
// it: every length and encoding against plain loops and, where the CPU has the instruction, against
// the CPU; all that the instruction does not write stays as it was. Compiled without a red zone.
#include "kernel_levels.hpp"

#include <algorithm>
#include <array>

#include "models/instruction_emulator.hpp"
#include "needs_avx512.hpp"

namespace dnnl::impl {
namespace {

using vector_bytes = std::array<u8, 64>;
using dot_function = void (*)(vector_bytes &c, const vector_bytes &u, const vector_bytes &s);

// A function that loads the registers number c, u and s, multiplies once and stores c.
#define DOT(name, before, prefix, length, c, u, s)                                                 \
    [[gnu::target("avx512f")]] void name(                                                          \
        vector_bytes &sums, const vector_bytes &unsigned_ones, const vector_bytes &signed_ones) {  \
        asm volatile("vmovups (%1), %%zmm" #u "\n\t"                                               \
                     "vmovups (%2), %%zmm" #s "\n\t"                                               \
                     "vmovups (%0), %%zmm" #c "\n\t" before prefix "vpdpbusd %%" #length #s        \
                     ", %%" #length #u ", %%" #length #c "\n\t"                                    \
                     "vmovups %%zmm" #c ", (%0)"                                                   \
                     :                                                                             \
                     : "r"(sums.data()), "r"(unsigned_ones.data()), "r"(signed_ones.data())        \
                     : "xmm" #c, "xmm" #u, "xmm" #s, "memory");                                    \
    }
#define BOTH(name, prefix, length, c, u, s)                                                        \
    DOT(name##_of_model, "call dnnl_carry_out_next\n\t", prefix, length, c, u, s)                  \
    DOT(name##_of_processor, "", prefix, length, c, u, s)

BOTH(vex_xmm, "%{vex%} ", xmm, 0, 1, 2)
BOTH(vex_xmm_high, "%{vex%} ", xmm, 14, 9, 11)
BOTH(vex_ymm, "%{vex%} ", ymm, 3, 12, 5)
BOTH(vex_ymm_high, "%{vex%} ", ymm, 10, 4, 15)
BOTH(evex_xmm, "%{evex%} ", xmm, 1, 2, 3)
BOTH(evex_ymm, "%{evex%} ", ymm, 20, 3, 25)
BOTH(evex_zmm, "", zmm, 7, 0, 6)
BOTH(evex_zmm_middle, "", zmm, 8, 15, 12)
BOTH(evex_zmm_high, "", zmm, 31, 16, 24)
BOTH(evex_zmm_mixed, "", zmm, 17, 10, 28)

struct form {
    const char *name;
    isa needs; ///< for the processor's own instruction
    int bytes;
    dot_function model, processor;
};
#define FORM(name, needs, bytes)                                                                   \
    { #name, needs, bytes, name##_of_model, name##_of_processor }
constexpr form forms[] = {FORM(vex_xmm, isa::avx2_vnni, 16), FORM(vex_xmm_high, isa::avx2_vnni, 16),
    FORM(vex_ymm, isa::avx2_vnni, 32), FORM(vex_ymm_high, isa::avx2_vnni, 32),
    FORM(evex_xmm, isa::avx512_vnni, 16), FORM(evex_ymm, isa::avx512_vnni, 32),
    FORM(evex_zmm, isa::avx512_vnni, 64), FORM(evex_zmm_middle, isa::avx512_vnni, 64),
    FORM(evex_zmm_high, isa::avx512_vnni, 64), FORM(evex_zmm_mixed, isa::avx512_vnni, 64)};

vector_bytes expected(
    const vector_bytes &c, const vector_bytes &u, const vector_bytes &s, int bytes) {
    vector_bytes sums {};
    for (int i = 0; i < bytes; i += 4) {
        std::uint32_t sum;
        std::memcpy(&sum, &c[i], sizeof sum);
        for (int k = i; k < i + 4; ++k)
            sum += static_cast<std::uint32_t>(int {u[k]} * static_cast<s8>(s[k]));
        std::memcpy(&sums[i], &sum, sizeof sum);
    }
    return sums;
}

// Any bytes, or those of the largest products.
vector_bytes drawn(numbers &random, bool extreme) {
    vector_bytes v;
    for (u8 &byte : v)
        byte = extreme ? (random.next() >> 31 ? 255 : 128) : static_cast<u8>(random.next() >> 24);
    return v;
}

const needs_avx512 requirements("the model saves AVX-512 state");

} // namespace

BOOST_AUTO_TEST_CASE(sums_of_products) {
    numbers random(1);
    for (const form &f : forms) {
        const bool compare = has(effective_isa(), f.needs);
        if (!compare)
            BOOST_TEST_MESSAGE(f.name << ": the model alone, the CPU or its cap lacks it");
        int wrong = 0, different = 0;
        for (int trial = 0; trial < 2000; ++trial) {
            const bool extreme = trial % 4 == 0;
            const vector_bytes c = drawn(random, extreme), u = drawn(random, extreme),
                               s = drawn(random, extreme);
            vector_bytes modelled = c, computed = c;
            f.model(modelled, u, s);
            wrong += modelled != expected(c, u, s, f.bytes);
            if (compare) f.processor(computed, u, s);
            different += compare && computed != modelled;
        }
        BOOST_TEST_CONTEXT(f.name) {
            BOOST_TEST(wrong == 0);
            BOOST_TEST(different == 0);
        }
    }
}

namespace {

struct state {
    std::array<vector_bytes, 32> vectors;
    std::array<std::uint64_t, 7> masks; // k0 ... k6
    std::uint64_t flags;
};

#define ALL_VECTORS                                                                                \
    "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

// All registers before and after zmm31 += zmm29 * zmm30 by the model.
[[gnu::target("avx512f,avx512bw")]] void run_once(state &before, state &after) {
    asm volatile(".irp n, " ALL_VECTORS "\n\t"
                 "vmovups 64*\\n(%2), %%zmm\\n\n\t"
                 ".endr\n\t"
                 ".irp n, 0,1,2,3,4,5,6\n\t"
                 "kmovq 8*\\n(%4), %%k\\n\n\t"
                 ".endr\n\t"
                 "stc\n\t"
                 "pushfq\n\t"
                 "popq %0\n\t"
                 "call dnnl_carry_out_next\n\t"
                 "vpdpbusd %%zmm30, %%zmm29, %%zmm31\n\t"
                 "pushfq\n\t"
                 "popq %1\n\t"
                 ".irp n, " ALL_VECTORS "\n\t"
                 "vmovups %%zmm\\n, 64*\\n(%3)\n\t"
                 ".endr\n\t"
                 ".irp n, 0,1,2,3,4,5,6\n\t"
                 "kmovq %%k\\n, 8*\\n(%5)\n\t"
                 ".endr"
                 : "=&r"(before.flags), "=&r"(after.flags)
                 : "r"(before.vectors.data()), "r"(after.vectors.data()), "r"(before.masks.data()),
                 "r"(after.masks.data())
                 : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                 "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16",
                 "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
                 "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4",
                 "k5", "k6");
}

} // namespace

BOOST_AUTO_TEST_CASE(other_registers_are_kept) {
    numbers random(2);
    state before, after;
    for (vector_bytes &v : before.vectors) v = drawn(random, false);
    for (std::uint64_t &mask : before.masks)
        mask = std::uint64_t {random.next()} << 32 | random.next();
    run_once(before, after);
    const auto &was = before.vectors;
    BOOST_TEST((after.vectors[31] == expected(was[31], was[29], was[30], 64)));
    BOOST_TEST(std::equal(was.begin(), was.end() - 1, after.vectors.begin()));
    BOOST_TEST(before.masks == after.masks, boost::test_tools::per_element());
    BOOST_TEST(before.flags == after.flags);
}

} // namespace dnnl::impl
