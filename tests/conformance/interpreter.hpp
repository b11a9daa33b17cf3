// SPDX-License-Identifier: Apache-2.0
// The state machine of the case language: reads tokens from left to right and hands out cases
// (case-language.md 1 to 3).
#pragma once

#include "case.hpp"

#include <functional>
#include <string>
#include <vector>

namespace conformance {

/// What the global options say.
struct global_options {
    char mode = 'C'; // L lists, C compares
    int verbose = 0;
    std::size_t start = 0; // cases before this one are skipped
    bool canonical = false;
};

/// Which implementations of a case are judged.
struct implementation_filter {
    std::vector<std::string> names; // empty: all
    bool skip = false;              // true: those that contain none of the names
    bool accepts(const std::string &implementation) const;
};

class interpreter {
  public:
    using case_handler = std::function<void(
        const test_case &, const implementation_filter &, const global_options &)>;

    /// `batch_folders` are searched after the folders of the files named before.
    interpreter(case_handler on_case, std::vector<std::string> batch_folders);

    /// Handles tokens. Throws usage_error for what is unknown or malformed.
    void run(const std::vector<std::string> &tokens);
    /// True if --batch=`file` would find a file.
    bool has_batch_file(const std::string &file) const { return !path_of_batch(file).empty(); }
    const global_options &options() const { return options_; }

  private:
    void handle(const std::string &token);
    bool is_global(const std::string &token);
    bool is_shared(const std::string &token);
    bool is_knob(const std::string &token);
    void select_driver(const driver &d);
    void reset();
    void run_problem(const std::string &text);
    void run_batch(const std::string &file);
    std::string path_of_batch(const std::string &file) const;
    void for_each_combination(std::size_t knob_index, test_case &c, bool &dropped);

    case_handler on_case_;
    std::vector<std::string> folders_;
    global_options options_;
    implementation_filter filter_;
    std::string match_;
    const driver *driver_ = nullptr;
    std::vector<std::vector<std::string>> values_; // per knob of the driver
};

/// White-space separated words of a batch file, comments removed, glued tokens joined.
std::vector<std::string> batch_tokens(const std::string &contents);

} // namespace conformance
