// SPDX-License-Identifier: Apache-2.0
#include "instruction_peak.hpp"

#include <chrono>
#include <cstdint>

namespace bench {

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

namespace {

constexpr long rounds = 20000, chains = 12;

// 12 vectors of numbers that are valid in every format: no subnormal f32 or bf16 among them.
struct operands {
    alignas(64) std::uint32_t words[12 * 16];
    operands() {
        std::uint32_t state = 1;
        for (std::uint32_t &w : words) {
            state = state * 1664525u + 1013904223u;
            w = 0x3e003e00u | (state >> 8 & 0x00ff00ffu);
        }
    }
};

// The loop around one instruction with a memory operand, into 12 registers that do not depend on
// each other: more than latency times throughput of any current core.
#define BENCH_LOOP(instruction, width, step)                                                       \
    static const operands data;                                                                    \
    long n = rounds;                                                                               \
    asm volatile("vmovups (%1), %%" width "15\n\t"                                                 \
                 "1:\n\t"                                                                          \
                 ".irp r,0,1,2,3,4,5,6,7,8,9,10,11\n\t" instruction " " step "*\\r(%1), %%" width  \
                 "15, %%" width "\\r\n\t"                                                          \
                 ".endr\n\t"                                                                       \
                 "dec %0\n\tjnz 1b\n\tvzeroupper"                                                  \
                 : "+r"(n)                                                                         \
                 : "r"(data.words)                                                                 \
                 : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", \
                 "xmm8", "xmm9", "xmm10", "xmm11", "xmm15")

void fma_256() { BENCH_LOOP("vfmadd231ps", "ymm", "32"); }
void fma_512() { BENCH_LOOP("vfmadd231ps", "zmm", "64"); }
void bytes_256() { BENCH_LOOP("%{vex%} vpdpbusd", "ymm", "32"); }
void bytes_512() { BENCH_LOOP("vpdpbusd", "zmm", "64"); }
void bf16_512() { BENCH_LOOP("vdpbf16ps", "zmm", "64"); }

#undef BENCH_LOOP

double rate(void (*loop)(), double multiplications) {
    return multiplications * chains * rounds / least_seconds(loop) * 1e-9;
}

} // namespace

double peak_fma_256() { return rate(fma_256, 8); }
double peak_fma_512() { return rate(fma_512, 16); }
double peak_bytes_256() { return rate(bytes_256, 32); }
double peak_bytes_512() { return rate(bytes_512, 64); }
double peak_bf16_512() { return rate(bf16_512, 32); }

} // namespace bench
