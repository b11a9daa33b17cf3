// SPDX-License-Identifier: Apache-2.0
// A case: one problem with one value of each knob, and its text.
#pragma once

#include "knobs.hpp"

#include <map>
#include <string>

namespace conformance {

struct test_case {
    const driver *what = nullptr;
    std::map<std::string, std::string> settings; // every knob of the driver, canonical text
    std::string problem;                         // canonical text

    /// The value of a knob; it must exist.
    const std::string &operator[](const std::string &knob_name) const {
        return settings.at(knob_name);
    }
    bool is_default(const std::string &knob_name) const;
    /// The problem without its name.
    std::string bare_problem() const;
    /// The line that reads back as this case: non-default knobs, then the problem.
    std::string line() const;
};

} // namespace conformance
