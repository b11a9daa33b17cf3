// SPDX-License-Identifier: Apache-2.0
// Dropout and stochastic rounding as random.md states them, for the oracle.
#pragma once

#include "interval.hpp"
#include "tensor.hpp"

#include <array>
#include <cstdint>

namespace conformance {

struct test_case;

/// Four words of the generator: those of the indices 4 * (index / 4) and the three behind it.
std::array<std::uint32_t, 4> random_block(std::uint32_t index, std::uint32_t seed);
/// The word of one index.
std::uint32_t random_word(std::uint32_t index, std::uint32_t seed);

/// --attr-dropout=P[:SEED[:TAG]]; off when the text is empty.
struct dropout_knob {
    bool on = false;
    float probability = 0;
    int seed = 0;
    std::string tag = "any";
};
dropout_knob dropout_of(const std::string &text);
std::string text_of(const dropout_knob &knob);

/// Whether the element at `offset` of dst survives, and by what it is multiplied.
bool is_kept(const dropout_knob &knob, dim offset);
float kept_factor(const dropout_knob &knob);

/// --attr-rounding-mode=ARG:MODE[:SEED][+...]: only stochastic entries are kept.
struct rounding_knob {
    std::vector<std::string> arguments; // those with stochastic rounding
    int seed = 0;
};
rounding_knob rounding_of(const std::string &text);
std::string text_of(const rounding_knob &knob);

/// The stochastic rounding of an f32 value into `type`. Monotone in value.
double rounded_at_random(double value, data_type type, dim offset, int seed);
interval rounded_at_random(const interval &x, data_type type, dim offset, int seed);

} // namespace conformance
