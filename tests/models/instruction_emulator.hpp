// SPDX-License-Identifier: Apache-2.0
// Instructions that a machine with AVX-512 may lack, carried out by models: those of the AMX tiles
// on a tile_model per thread, and by plain loops vpdpbusd, in VEX and in EVEX form, vdpbf16ps and
// vcvtne2ps2bf16. A program comes here in one of two ways:
//
//   by signal  the library's own object code runs; the CPU refuses a tile instruction with SIGILL,
//   and
//              amx_emulator carries it out. Each such instruction takes some 15 microseconds.
//   by call    modelled_kernels.hpp puts a call of dnnl_carry_out_next in front of each of these
//              instructions when a kernel is compiled. No such instruction reaches the CPU, so that
//              this works, and gives the model's results, also where the CPU has the instruction.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/plain_types.hpp"

namespace dnnl::impl {

/// Registers of the interrupted code, by their numbers in an instruction.
struct register_file {
    struct alignas(64) vector {
        u8 bytes[64];
    };
    long long *general[16]; ///< rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 ... r15
    vector *vectors;        ///< 32 of them, or null where vectors are out of reach
};

/// Carries out the instruction at `code`; its length in bytes, 0 where it is none of the modelled
/// ones.
int carry_out(const u8 *code, const register_file &registers);

/// Instructions carried out since an emulator was made, by all threads.
struct tile_counts {
    std::atomic<long> configurations, releases, loads, stores, zeros, products;
    std::atomic<long> configured_threads; ///< threads whose tiles are configured now
};

/// While one lives, AMX instructions that raise SIGILL run on the tile_model of their thread. Other
/// causes of SIGILL go to the handler before. One at a time.
class amx_emulator {
  public:
    amx_emulator();
    ~amx_emulator();
    amx_emulator(const amx_emulator &) = delete;
    amx_emulator &operator=(const amx_emulator &) = delete;
    static tile_counts &counts();
};

} // namespace dnnl::impl

/// Carries out the instruction at its return address and returns to the next one; all registers are
/// kept but those that the instruction writes. The caller must not use the red zone.
extern "C" void dnnl_carry_out_next();
