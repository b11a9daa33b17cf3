// SPDX-License-Identifier: Apache-2.0
// Rows that the library must offer: the file required_rows says which cases each of them takes.
#pragma once

#include "report/report.hpp"

#include <functional>
#include <optional>
#include <regex>

namespace conformance {

class required_rows {
  public:
    using level_test = std::function<bool(const std::string &level)>;
    /// Reads the file, without the rules of levels that `is_effective` denies. Throws usage_error
    /// for what it does not understand.
    required_rows(const std::string &path, const level_test &is_effective);

    /// The rows that must take the case and that its walk along next_impl() lacks.
    std::vector<std::string> missing(const case_result &result);
    /// The rules that no case has fitted so far.
    std::vector<std::string> never_asked() const;

  private:
    struct level {
        std::string name, instruction_set;
    };
    struct rule {
        std::string text; // for messages
        std::regex primitive, direction, types;
        std::optional<std::regex> when, unless;
        std::string row;
        std::size_t asked = 0; // cases that fitted
    };
    struct exemption {
        std::regex primitive, line;
    };
    static std::vector<level> levels_of(
        const std::vector<std::string> &words, const level_test &is_effective);
    void read_rule(const std::vector<std::string> &words, const level &at);
    std::string with_names_replaced(std::string text) const;
    std::regex pattern_of(const std::string &text) const;
    const std::vector<std::size_t> &rules_of(const case_result &result);
    bool is_exempt(const case_result &result) const;

    std::vector<rule> rules_;
    std::vector<exemption> exemptions_;
    std::map<std::string, std::string> names_; // alternatives by name
    // The rules that a primitive, direction and types fit, found once for each of them.
    std::map<std::string, std::vector<std::size_t>> fitting_;
};

} // namespace conformance
