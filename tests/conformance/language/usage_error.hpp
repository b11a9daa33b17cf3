// SPDX-License-Identifier: Apache-2.0
// How the program says that a line is wrong, and that a case cannot be run.
#pragma once

#include <stdexcept>
#include <string>

namespace conformance {

/// The text of a case or an option is malformed or unknown; exit_code as in case-language.md 1.
struct usage_error : std::runtime_error {
    explicit usage_error(const std::string &what, int code = 1)
        : std::runtime_error(what), exit_code(code) {}
    int exit_code;
};

/// A well-formed line that describes no runnable case; counted as skipped with this reason.
struct skipped_case : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace conformance
