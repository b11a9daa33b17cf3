// SPDX-License-Identifier: Apache-2.0
// How many multiply-accumulates per second one core can do with one instruction, operands from L1.
#pragma once

namespace bench {

/// Seconds of a steady clock.
double seconds();

/// The least time of one call in seconds over about `budget` seconds, after one call to warm up.
template <class Body> double least_seconds(const Body &body, double budget = 0.3) {
    body();
    double least = 1e30;
    for (const double end = seconds() + budget; seconds() < end;) {
        const double start = seconds();
        body();
        const double taken = seconds() - start;
        if (taken < least) least = taken;
    }
    return least;
}

/// In 10^9 multiply-accumulates per second; random operands. The CPU must have the instruction.
double peak_fma_256();     // vfmadd231ps ymm
double peak_fma_512();     // vfmadd231ps zmm
double peak_bytes_256();   // vpdpbusd ymm, VEX
double peak_bytes_512();   // vpdpbusd zmm
double peak_bf16_512();    // vdpbf16ps zmm
double peak_f16_512();     // vfmadd231ph zmm
double peak_bytes_tiles(); // tdpbusd; 0 where the system does not permit tiles
double peak_bf16_tiles();  // tdpbf16ps; the same

} // namespace bench
