// SPDX-License-Identifier: Apache-2.0
// The drivers of the case language, their knobs in nesting order, and the shared knobs.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace conformance {

/// An option with a list of values. `normal_form` checks one value and gives its canonical text.
struct knob {
    std::string name, initial;
    std::function<std::string(const std::string &)> normal_form;
    bool always_printed = false;
};

/// How the problems of a driver are written (case-language.md 5).
enum class problem_form { descriptor, dims, multi_dims };

struct driver {
    std::string name;
    problem_form form;
    std::string keys;        // allowed entries of the descriptor form
    std::vector<knob> knobs; // all, in nesting order, first slowest, attributes included
};

/// Null for an unknown name.
const driver *find_driver(const std::string &name);

/// All driver names, for messages.
std::vector<std::string> driver_names();

/// Checks a problem text of the driver and gives its canonical form. Throws usage_error.
std::string normal_problem(const driver &d, const std::string &text);

} // namespace conformance
