// SPDX-License-Identifier: Apache-2.0
// Printing of cases.
#include "case.hpp"

namespace conformance {

bool test_case::is_default(const std::string &knob_name) const {
    for (const knob &k : what->knobs)
        if (k.name == knob_name) return settings.at(knob_name) == k.initial;
    return true;
}

std::string test_case::bare_problem() const {
    return what->form == problem_form::descriptor ? problem : problem.substr(0, problem.find('n'));
}

std::string test_case::line() const {
    std::string text = "--" + what->name;
    for (std::size_t index : what->print_order) {
        const knob &k = what->knobs[index];
        if (k.always_printed || settings.at(k.name) != k.initial)
            text += " --" + k.name + "=" + settings.at(k.name);
    }
    return text + " " + problem;
}

} // namespace conformance
