// SPDX-License-Identifier: Apache-2.0
// The performance line: its template and its fields (case-language.md 2.3).
#pragma once

#include "language/case.hpp"

#include <string>
#include <vector>

namespace conformance {

/// Times of one case in ms, and what is counted for it.
struct measurement {
    std::vector<double> run_ms;       // one per round
    double descriptor_ms[2] = {0, 0}; // first creation, and a second one
    double primitive_ms[2] = {0, 0};
    double operations = 0, input_bytes = 0, output_bytes = 0;
    std::string implementation;
    std::size_t index = 0;
};

class performance_template {
  public:
    /// The default template.
    performance_template() : performance_template("") {}
    /// `def` or empty, `csv`, or a text with %fields%. Throws usage_error for an unknown field.
    explicit performance_template(const std::string &text);
    /// With the fields of a driver where the template has a place for them.
    std::string text(const driver &d) const;
    /// The line of one case.
    std::string line(const test_case &c, const measurement &m, const std::string &engine) const;

  private:
    std::string text_;
};

} // namespace conformance
