// SPDX-License-Identifier: Apache-2.0
// The three fills of doc/numerics.md ("How a result is judged"): exact small integers, random
// reals, adversarial values.
#pragma once

#include "oracle/problem.hpp"

namespace conformance {

enum class fill { exact, random, adversarial };

/// "E", "R", "X".
const char *name_of(fill kind);

/// Values of one tensor, a function of the arguments alone.
tensor filled(const tensor_spec &spec, fill kind, std::uint64_t seed);

/// A hash of a text, to derive seeds.
std::uint64_t hash_of(const std::string &text, std::uint64_t start = 1469598103934665603u);
/// Scrambles the numbers of a sequence.
std::uint64_t mixed(std::uint64_t x);

} // namespace conformance
