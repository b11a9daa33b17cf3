// SPDX-License-Identifier: Apache-2.0
// The loops, in assembly so that a compiler exchanges nothing.
#include "sequences.hpp"

#include "timing.hpp"

#include <cpuid.h>
#include <cstdint>
#include <fstream>

namespace techniques {
namespace {

constexpr long rounds = 20000;
constexpr int chains = 8; // accumulators of a round

struct operands {
    alignas(64) std::uint32_t words[chains * 16];
    operands() {
        std::uint32_t state = 1;
        for (std::uint32_t &w : words) {
            state = state * 1664525u + 1013904223u;
            w = 0x3e003e00u | (state >> 8 & 0x00ff00ffu); // a number in every format
        }
    }
};

#define REGISTERS                                                                                  \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",       \
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

// Registers 13 and 14 hold the factors, 15 ones, 8 to 11 what goes from instruction to instruction.
#define RUN(name, width, step, body)                                                               \
    void name() {                                                                                  \
        static const operands data;                                                                \
        long n = rounds;                                                                           \
        asm volatile("vmovups (%1), %%" width "14\n\t"                                             \
                     "vmovups 64(%1), %%" width "15\n\t"                                           \
                     "vmovups 128(%1), %%" width "13\n\t"                                          \
                     "1:\n\t.irp r,0,1,2,3,4,5,6,7\n\t" body "\n\t.endr\n\t"                       \
                     "dec %0\n\tjnz 1b\n\tvzeroupper"                                              \
                     : "+r"(n)                                                                     \
                     : "r"(data.words)                                                             \
                     : "cc", "memory", REGISTERS);                                                 \
    }
#define ONE(instruction, width, step) instruction " %%" width "13, %%" width "14, %%" width "\\r"
// The register for what goes on: 8 + r % 4 by the four names of two rounds.
#define VIA(width, first, second)                                                                  \
    ".if \\r == 0 || \\r == 4\n\t" first(width, "8")                                               \
        second(width, "8") ".elseif \\r == 1 || \\r == 5\n\t" first(width, "9")                    \
            second(width, "9") ".elseif \\r == 2 || \\r == 6\n\t" first(width, "10")               \
                second(width, "10") ".else\n\t" first(width, "11") second(width, "11") ".endif"
#define THREE_256(w, t)                                                                            \
    "vpmaddubsw %%" w "13, %%" w "14, %%" w t "\n\tvpmaddwd %%" w "15, %%" w t ", %%" w t "\n\t"
#define THREE_512(w, t)                                                                            \
    "vpmaddubsw %%" w "13, %%" w "14, %%" w t "\n\tvpmaddwd %%" w "15, %%" w t ", %%" w t "\n\t"
#define PAIRS_256(w, t) "vpmaddwd %%" w "13, %%" w "14, %%" w t "\n\t"
#define PAIRS_512(w, t) "vpmaddwd %%" w "13, %%" w "14, %%" w t "\n\t"
#define ADD(w, t) "vpaddd %%" w t ", %%" w "\\r, %%" w "\\r\n\t"

RUN(fma_256, "ymm", "32", ONE("vfmadd231ps", "ymm", "32"))
RUN(fma_512, "zmm", "64", ONE("vfmadd231ps", "zmm", "64"))
RUN(three_256, "ymm", "32", VIA("ymm", THREE_256, ADD))
RUN(three_512, "zmm", "64", VIA("zmm", THREE_512, ADD))
RUN(widened_256, "ymm", "32", VIA("ymm", PAIRS_256, ADD))
RUN(widened_512, "zmm", "64", VIA("zmm", PAIRS_512, ADD))
RUN(fused_256, "ymm", "32", ONE("%{vex%} vpdpbusd", "ymm", "32"))
RUN(fused_512, "zmm", "64", ONE("vpdpbusd", "zmm", "64"))
RUN(fused_widened_512, "zmm", "64", ONE("vpdpwssd", "zmm", "64"))
RUN(bf16_512, "zmm", "64", ONE("vdpbf16ps", "zmm", "64"))

/// The builtin of clang 14 does not know the name.
bool has_avx_vnni() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) &&
           (a >> 4 & 1);
}

bool has(sequence which, int bits) {
    const bool wide = __builtin_cpu_supports("avx512bw");
    if (bits == 512 && !wide) return false;
    switch (which) {
    case sequence::fused:
        return bits == 512 ? __builtin_cpu_supports("avx512vnni") > 0 : has_avx_vnni();
    case sequence::fused_widened: return bits == 512 && __builtin_cpu_supports("avx512vnni");
    case sequence::bf16_pairs: return bits == 512 && __builtin_cpu_supports("avx512bf16");
    default: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    }
}

void (*loop_of(sequence which, bool wide))() {
    switch (which) {
    case sequence::float_fma: return wide ? fma_512 : fma_256;
    case sequence::three: return wide ? three_512 : three_256;
    case sequence::widened: return wide ? widened_512 : widened_256;
    case sequence::fused: return wide ? fused_512 : fused_256;
    case sequence::fused_widened: return fused_widened_512;
    default: return bf16_512;
    }
}

} // namespace

models::loop_step step_of(sequence which, int bits) {
    const double words = bits / 32;
    switch (which) {
    case sequence::float_fma: return {1, 0, 0, words};
    case sequence::three: return {0, 2, 1, 4 * words};
    case sequence::widened: return {0, 1, 1, 2 * words};
    case sequence::fused: return {0, 1, 0, 4 * words};
    case sequence::fused_widened: return {0, 1, 0, 2 * words};
    default: return {0, 1, 0, 2 * words};
    }
}

double rate_of(sequence which, int bits) {
    if (!has(which, bits)) return 0;
    const double products = step_of(which, bits).products * chains * double(rounds);
    return products / techniques::fastest(loop_of(which, bits == 512), 300) * 1e-9;
}

/// Both makers multiply in two channels of 256 bits. Intel adds in three, AMD in four; with 512
/// bits Intel has two channels for everything.
models::machine this_machine(int bits) {
    const bool amd = __builtin_cpu_is("amd");
    if (amd) return {"AMD, 2 channels that multiply, 4 that add", 2, 2, 4, 4};
    if (bits == 512) return {"Intel, 2 channels of 512 bits", 2, 2, 2, 2};
    return {"Intel, 2 channels that multiply, 3 that add", 2, 2, 3, 3};
}

int widest() { return __builtin_cpu_supports("avx512bw") ? 512 : 256; }

std::string name_of_processor() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

} // namespace techniques
