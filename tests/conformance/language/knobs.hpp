// SPDX-License-Identifier: Apache-2.0
// The drivers of the case language, their knobs in nesting order, and the shared knobs.
#pragma once

#include "language/knob_forms.hpp"

#include <string>
#include <vector>

namespace conformance {

/// An option with a list of values. `normal_form` checks one value and gives its canonical text.
struct knob {
    std::string name, initial;
    form::value_form normal_form;
    bool always_printed = false;
    bool innermost = false; // in the product: behind the attributes, wherever it is printed
};

/// How the problems of a driver are written (case-language.md 5).
enum class problem_form { descriptor, dims, multi_dims };

struct driver {
    std::string name;
    problem_form form;
    std::string keys;        // allowed entries of the descriptor form; "~eps" is a real number
    std::vector<knob> knobs; // all, in nesting order, first slowest, attributes included
    std::vector<std::size_t> print_order; // indices of knobs
    std::string csv;                      // fields of the performance line
    /// Replaces the default of a knob that exists.
    void set_initial(const std::string &knob_name, const std::string &value);
};

/// Null for an unknown name.
const driver *find_driver(const std::string &name);

/// All driver names, for messages.
std::vector<std::string> driver_names();

/// Checks a problem text of the driver and gives its canonical form. Throws usage_error.
std::string normal_problem(const driver &d, const std::string &text);

} // namespace conformance
