// SPDX-License-Identifier: Apache-2.0
#include "instruction_peak.hpp"

#include <chrono>
#include <cstdint>
#include <sys/syscall.h>
#include <unistd.h>

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

void f16_512() { BENCH_LOOP("vfmadd231ph", "zmm", "64"); }

#undef BENCH_LOOP

// Four products of two tiles of A and two of B, again and again; the configuration of eight tiles
// of 16 rows of 64 bytes is loaded and released around them.
#define BENCH_TILES(instruction)                                                                   \
    static const operands data;                                                                    \
    static const tile_configuration tiles;                                                         \
    long n = rounds;                                                                               \
    const char *from = reinterpret_cast<const char *>(data.words);                                 \
    asm volatile("ldtilecfg (%3)\n\t"                                                              \
                 "tilezero %%tmm0\n\ttilezero %%tmm1\n\ttilezero %%tmm2\n\ttilezero %%tmm3\n\t"    \
                 "tileloadd (%1,%2,1), %%tmm4\n\ttileloadd 64(%1,%2,1), %%tmm5\n\t"                \
                 "tileloadd 128(%1,%2,1), %%tmm6\n\ttileloadd 192(%1,%2,1), %%tmm7\n\t"            \
                 "1:\n\t" instruction " %%tmm6, %%tmm4, %%tmm0\n\t" instruction                    \
                 " %%tmm7, %%tmm4, %%tmm1\n\t" instruction                                         \
                 " %%tmm6, %%tmm5, %%tmm2\n\t" instruction " %%tmm7, %%tmm5, %%tmm3\n\t"           \
                 "dec %0\n\tjnz 1b\n\ttilerelease"                                                 \
                 : "+r"(n)                                                                         \
                 : "r"(from), "r"(dim_bytes), "r"(&tiles)                                          \
                 : "cc", "memory")

constexpr long dim_bytes = 32; // from row to row: rows overlap in the random words

struct tile_configuration {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t column_bytes[16] = {};
    std::uint8_t rows[16] = {};
    tile_configuration() {
        for (int t = 0; t < 8; ++t) column_bytes[t] = 64, rows[t] = 16;
    }
};

void bytes_tiles() { BENCH_TILES("tdpbusd"); }
void bf16_tiles() { BENCH_TILES("tdpbf16ps"); }

#undef BENCH_TILES

constexpr double tile_products = 4 * 16 * 16; // of one k group of a row each

// Tiles are there once the process has asked for them.
bool has_permission_for_tiles() {
    constexpr long request_permission = 0x1023, tile_data = 18;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

double rate(void (*loop)(), double multiplications) {
    return multiplications * chains * rounds / least_seconds(loop) * 1e-9;
}

} // namespace

double peak_fma_256() { return rate(fma_256, 8); }
double peak_fma_512() { return rate(fma_512, 16); }
double peak_bytes_256() { return rate(bytes_256, 32); }
double peak_bytes_512() { return rate(bytes_512, 64); }
double peak_bf16_512() { return rate(bf16_512, 32); }
double peak_f16_512() { return rate(f16_512, 32); }
double peak_bytes_tiles() {
    return has_permission_for_tiles() ? rate(bytes_tiles, tile_products * 64 / chains) : 0;
}
double peak_bf16_tiles() {
    return has_permission_for_tiles() ? rate(bf16_tiles, tile_products * 32 / chains) : 0;
}

} // namespace bench
