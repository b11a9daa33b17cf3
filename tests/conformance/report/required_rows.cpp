// SPDX-License-Identifier: Apache-2.0
// Reading of the file required_rows, and the rows that a case must have.
#include "report/required_rows.hpp"

#include "language/text.hpp"
#include "language/usage_error.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace conformance {
required_rows::required_rows(const std::string &path, const level_test &is_effective) {
    std::ifstream file(path);
    if (!file) throw usage_error("cannot read '" + path + "'");
    std::string line;
    std::vector<level> levels;
    while (std::getline(file, line)) {
        std::istringstream text(line.substr(0, line.find('#')));
        const std::vector<std::string> words {std::istream_iterator<std::string>(text), {}};
        if (words.empty()) continue;
        if (words[0] == "level")
            levels = levels_of(words, is_effective);
        else if (words.size() == 3 && words[1] == "=")
            names_[words[0]] = "(?:" + with_names_replaced(words[2]) + ")";
        else if (words.size() == 3 && words[0] == "exempt")
            exemptions_.push_back({pattern_of(words[1]), pattern_of(words[2])});
        else
            for (const level &l : levels) read_rule(words, l);
    }
}

// "level AVX2:avx2 AVX512_CORE:avx512": those that are effective; "any" has no instruction set.
std::vector<required_rows::level> required_rows::levels_of(
    const std::vector<std::string> &words, const level_test &is_effective) {
    std::vector<level> levels;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::size_t colon = words[i].find(':');
        const std::string name = words[i].substr(0, colon);
        if (name == "any")
            levels.push_back({name, ""});
        else if (colon == std::string::npos)
            throw usage_error("required_rows: a level without an instruction set: " + words[i]);
        else if (is_effective(name))
            levels.push_back({name, words[i].substr(colon + 1)});
    }
    return levels;
}

std::string required_rows::with_names_replaced(std::string text) const {
    for (const auto &[name, pattern] : names_)
        for (std::size_t at; (at = text.find("{" + name + "}")) != std::string::npos;)
            text.replace(at, name.size() + 2, pattern);
    return text;
}

std::regex required_rows::pattern_of(const std::string &text) const {
    try {
        return std::regex(with_names_replaced(text));
    } catch (const std::regex_error &) {
        throw usage_error("required_rows: no regular expression: " + text);
    }
}

void required_rows::read_rule(const std::vector<std::string> &words, const level &at) {
    const std::string line = joined(words, " ");
    if (words.size() < 4)
        throw usage_error("required_rows: not primitive, direction, types and row: " + line);
    rule r;
    r.primitive = pattern_of(words[0]);
    r.direction = pattern_of(words[1]);
    r.types = pattern_of(words[2]);
    r.row = words[3];
    const std::size_t star = r.row.find('*');
    if (star != std::string::npos) r.row.replace(star, 1, at.instruction_set);
    for (std::size_t i = 4; i < words.size(); ++i) {
        const bool is_when = words[i].rfind("when:", 0) == 0;
        if (!is_when && words[i].rfind("unless:", 0) != 0)
            throw usage_error("required_rows: neither when: nor unless: in " + line);
        (is_when ? r.when : r.unless) = pattern_of(words[i].substr(words[i].find(':') + 1));
    }
    r.text = at.name + ": " + r.row + " (" + line + ")";
    rules_.push_back(std::move(r));
}

const std::vector<std::size_t> &required_rows::rules_of(const case_result &result) {
    const std::string key = result.driver + " " + result.direction + " " + result.types;
    const auto [place, is_new] = fitting_.try_emplace(key);
    if (!is_new) return place->second;
    for (std::size_t i = 0; i < rules_.size(); ++i)
        if (std::regex_match(result.driver, rules_[i].primitive) &&
            std::regex_match(result.direction, rules_[i].direction) &&
            std::regex_match(result.types, rules_[i].types))
            place->second.push_back(i);
    return place->second;
}

bool required_rows::is_exempt(const case_result &result) const {
    return std::any_of(exemptions_.begin(), exemptions_.end(), [&](const exemption &e) {
        return std::regex_match(result.driver, e.primitive) &&
               std::regex_search(result.line, e.line);
    });
}

std::vector<std::string> required_rows::missing(const case_result &result) {
    std::vector<std::string> names;
    const std::vector<std::size_t> &rules = rules_of(result);
    if (rules.empty() || is_exempt(result)) return names;
    for (std::size_t i : rules) {
        rule &r = rules_[i];
        if (r.when && !std::regex_search(result.line, *r.when)) continue;
        if (r.unless && std::regex_search(result.line, *r.unless)) continue;
        ++r.asked;
        const auto is_it = [&](const row_result &row) { return row.implementation == r.row; };
        if (std::none_of(result.rows.begin(), result.rows.end(), is_it)) names.push_back(r.row);
    }
    return names;
}

std::vector<std::string> required_rows::never_asked() const {
    std::vector<std::string> texts;
    for (const rule &r : rules_)
        if (r.asked == 0) texts.push_back(r.text);
    return texts;
}

} // namespace conformance
