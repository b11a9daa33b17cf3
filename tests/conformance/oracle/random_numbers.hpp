// SPDX-License-Identifier: Apache-2.0
// Dropout and stochastic rounding, for the oracle.
#pragma once

#include "language/random_knobs.hpp"
#include "oracle/interval.hpp"
#include "oracle/tensor.hpp"

#include <array>
#include <cstdint>

namespace conformance {

/// Four words of the generator: those of the indices 4 * (index / 4) and the three behind it.
std::array<std::uint32_t, 4> random_block(std::uint32_t index, std::uint32_t seed);
/// The word of one index.
std::uint32_t random_word(std::uint32_t index, std::uint32_t seed);

/// The word of an index in the sequence of a seed and an offset other than 0, all of 64 bits.
std::uint32_t random_word(std::uint64_t index, std::uint64_t seed, std::uint64_t offset);

/// Whether the element at `offset` of dst survives, and by what it is multiplied.
bool is_kept(const dropout_knob &knob, dim offset);
float kept_factor(const dropout_knob &knob);

/// The stochastic rounding of an f32 value into `type`. Monotone in value.
double rounded_at_random(double value, data_type type, dim offset, int seed);
interval rounded_at_random(const interval &x, data_type type, dim offset, int seed);

} // namespace conformance
