// SPDX-License-Identifier: Apache-2.0
// How much faster than f32 exact products of bytes can be on this processor.
#pragma once

namespace topologies {

struct int8_limit {
    const char *level; // the instruction set that the library uses
    double products;   // times f32, by the ports alone
    bool vnni;         // an instruction multiplies bytes exactly
};

int8_limit int8_limit_here();

/// The least ratio of a processor with VNNI, and that of the published measurements.
constexpr double vnni_least = 2.5, published_ratio = 1.5;

} // namespace topologies
