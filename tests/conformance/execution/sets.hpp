// SPDX-License-Identifier: Apache-2.0
// Sets of cases: what `--set` names.
#pragma once

#include "execution/interpreter.hpp"

#include <cstdint>
#include <string>

namespace conformance {

struct set_options {
    std::string name; // smoke, default, full, random:SEED:COUNT, threads, or files of cases/
    std::uint64_t seed = 1;
    std::size_t random = 0; // random problems per driver beside the set's own
};

/// Hands the set's tokens to the language.
void run_set(interpreter &language, const set_options &options);

/// True for the sets that reach every row.
bool is_whole_set(const set_options &options);

/// True if the set contains the line: smoke is a sample of the default set, by the line's text.
bool is_sampled(const set_options &options, const std::string &line);

} // namespace conformance
