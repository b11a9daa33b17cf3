// SPDX-License-Identifier: Apache-2.0
// Dynamic fixed point: integers times a power of two that all numbers of a tensor share.
#pragma once

#include "../../calibration/quantization.hpp"

#include <cstddef>

namespace int8_accuracy {

/// The fraction bits with which numbers up to `largest` fit into `bits` bits, the sign among them:
/// bits - 1 - ceil(log2(largest)) (Gysel et al., 2016). bits - 1 if largest is 0.
int fraction_bits(float largest, int bits);

/// The fraction bits whose rounding costs the least squared error: those of fraction_bits() for the
/// largest number, or up to 4 more, beyond whose limits the largest numbers are cut off.
int best_fraction_bits(const float *values, std::size_t count, int bits);
int best_fraction_bits(const calibration::histogram &values, int bits);

/// Rounds to integers -2^(bits-1) ... 2^(bits-1) - 1 times 2^-fraction; to is rounded(from) and may
/// be the same array.
void round_to_fixed_point(const float *from, float *to, std::size_t count, int bits, int fraction);

} // namespace int8_accuracy
