// SPDX-License-Identifier: Apache-2.0
// Loops of a few instructions, as fast as the processor starts them: what multiplies how many
// operands.
#pragma once

#include <string>
#include <vector>

#include "../../tests/models/packed_64.hpp"

namespace techniques {

enum class sequence {
    float_fma,     // vfmadd231ps
    three,         // vpmaddubsw, vpmaddwd, vpaddd
    widened,       // vpmaddwd, vpaddd: of bytes that lie widened in memory
    fused,         // vpdpbusd
    fused_widened, // vpdpwssd
    bf16_pairs,    // vdpbf16ps
};

/// 10^9 multiply-accumulations a second, operands in L1; 0 where the processor lacks it. 256 or 512
/// bits.
double rate_of(sequence which, int bits);

/// What a step of the sequence asks of a machine.
models::loop_step step_of(sequence which, int bits);

/// The processor of this machine as channels; its widths are 256 bits, and 512 where it has them.
models::machine this_machine(int bits);

/// 512 where the processor has registers of 512 bits, otherwise 256.
int widest();
/// "AVX-512 of Intel" and the like.
std::string name_of_processor();

} // namespace techniques
