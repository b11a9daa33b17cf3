// SPDX-License-Identifier: Apache-2.0
// Sets of cases: what `--set` names.
#pragma once

#include "execution/interpreter.hpp"

#include <cstdint>
#include <string>
#include <unordered_set>

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

/// Chooses the cases of a set, which must be shown in its order. Smoke is a sample of the default
/// set: every case that shows something for the first time, either a problem of its driver, or a
/// value of a knob together with one direction, one combination of types or one algorithm. Layers
/// of networks are too large for it.
class sampler {
  public:
    explicit sampler(const set_options &options) : takes_all_(options.name != "smoke") {}
    bool takes(const test_case &c);

  private:
    bool is_new(const std::string &what);

    bool takes_all_;
    std::unordered_set<std::string> seen_;
};

} // namespace conformance
