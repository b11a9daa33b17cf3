// SPDX-License-Identifier: Apache-2.0
// The state machine of the case language: reads tokens from left to right and hands out cases
// (case-language.md 1 to 3).
#pragma once

#include "execution/performance.hpp"
#include "language/case.hpp"
#include "language/global_options.hpp"

#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace conformance {

/// What holds for a case beside its knobs.
struct run_options {
    const global_options &global;
    implementation_filter filter;
    const performance_template &performance;
    bool walk_only = false; // along the implementations, nothing executed
    /// The line that reads back as the case under these options.
    std::string line(const test_case &c) const;
};

class interpreter {
  public:
    using case_handler = std::function<void(const test_case &, const run_options &)>;

    /// `batch_folders` are searched after the folders of the files named before.
    interpreter(case_handler on_case, std::vector<std::string> batch_folders);

    /// Handles tokens. Throws usage_error for what is unknown or malformed.
    void run(const std::vector<std::string> &tokens);
    /// True if --batch=`file` would find a file.
    bool has_batch_file(const std::string &file) const { return !path_of_batch(file).empty(); }
    const global_options &options() const { return options_; }
    /// Cases from now on show which implementations take them, and nothing else.
    void walk_only(bool wanted) { walk_only_ = wanted; }
    /// True if the last token was an option, so that it has had no effect.
    bool ends_with_option() const { return ends_with_option_; }
    /// True if --help was among the tokens.
    bool help_wanted() const { return help_wanted_; }
    const driver *current_driver() const { return driver_.get(); }

  private:
    void handle(const std::string &token);
    /// A line that names the known option which is most like an unknown one; empty if none is.
    std::string suggestion_for(const std::string &token) const;
    bool is_shared(const std::string &token);
    bool is_knob(const std::string &token);
    void select_driver(const driver &d);
    void reset();
    void run_problem(const std::string &text);
    void run_batch(const std::string &file);
    std::string path_of_batch(const std::string &file) const;
    void for_each_combination(std::size_t knob_index, test_case &c, bool &dropped);
    void set_match(const std::string &expression);

    case_handler on_case_;
    std::vector<std::string> folders_;
    global_options options_;
    implementation_filter filter_;
    performance_template performance_;
    std::unique_ptr<std::regex> match_;
    std::shared_ptr<const driver> driver_;         // with the defaults that modes change
    std::vector<std::vector<std::string>> values_; // per knob of the driver
    bool ends_with_option_ = false, help_wanted_ = false, walk_only_ = false;
};

/// White-space separated words of a batch file, comments removed, glued tokens joined.
std::vector<std::string> batch_tokens(const std::string &contents);

} // namespace conformance
