// SPDX-License-Identifier: Apache-2.0
// A case: one problem with one value of each knob, and its text.
#pragma once

#include "language/knobs.hpp"

#include <map>
#include <memory>
#include <string>

namespace conformance {

/// Of normalizations whose problem says nothing of it.
constexpr float default_epsilon = 1.0f / 16;

struct test_case {
    std::shared_ptr<const driver> what;
    std::map<std::string, std::string> settings; // every knob of the driver, canonical text
    std::string problem;                         // canonical text

    /// The value of a knob; it must exist.
    const std::string &operator[](const std::string &knob_name) const {
        return settings.at(knob_name);
    }
    bool is_default(const std::string &knob_name) const;
    /// The problem without its name.
    std::string bare_problem() const;
    /// The name behind "n", empty without one.
    std::string name() const;
    /// " --knob=value" for the knobs that are not default, or all of them.
    std::string knob_text(bool all = false) const;
    /// The problem; `all`: with the descriptor's defaults and what is deduced.
    std::string problem_text(bool all = false) const;
    /// The line that reads back as this case: non-default knobs, then the problem.
    std::string line() const;
    /// The propagation kind, "-" without one.
    std::string direction() const;
    /// The epsilon: of reduction's knob or of the problem, empty where the driver has none.
    std::string epsilon() const;
    /// The element types, for tables: "f32", "u8:s8:u8", "bf16->f32".
    std::string types() const;
};

} // namespace conformance
