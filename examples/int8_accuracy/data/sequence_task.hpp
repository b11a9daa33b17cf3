// SPDX-License-Identifier: Apache-2.0
// A task for networks that look at a whole sequence.
#pragma once

#include "dataset.hpp"

namespace int8_accuracy {

/// Sequences of 32 tokens out of 24, with a label out of 16 at each position. Tokens 0 ... 7 are
/// symbols, 8 ... 19 give one of three values to one of four keys (8 + 3 x key + value), 20 ... 23
/// ask for the value of a key. Labels: at a token that asks, the value that the key was given last
/// in the sequence, before or after the question, or 3 if there is none; at one that gives a value,
/// how many tokens ask for its key; at a symbol, how often it occurs in the sequence. Equal seeds
/// give equal data.
data_split draw_sequences(int training, int held_out, std::uint64_t seed);

} // namespace int8_accuracy
