// SPDX-License-Identifier: Apache-2.0
// Tokens, options, batch files and the product of the knobs' lists.
#include "interpreter.hpp"

#include "text.hpp"
#include "usage_error.hpp"

#include <cctype>
#include <fstream>
#include <regex>
#include <sstream>

namespace conformance {
namespace {

// The value of "--name=value"; false if the token is another option.
bool has_value(const std::string &token, const std::string &name, std::string &value) {
    const std::string prefix = "--" + name + "=";
    if (token.rfind(prefix, 0) != 0) return false;
    value = token.substr(prefix.size());
    return true;
}

// Accepted for the sake of existing batch files; they change nothing in modes L and C.
const char *const options_without_effect[] = {"attr-same-pd-check", "check-ref-impl", "cold-cache",
    "cpu-isa-hints", "fast-ref", "fast-ref-gpu", "fix-times-per-prb", "max-ms-per-prb",
    "repeats-per-prb", "num-streams", "mem-check", "memory-kind", "stream-kind", "perf-template"};

std::string without_quotes(std::string text) {
    std::string result;
    for (char c : text)
        if (c != '"' && c != '\'') result += c;
    return result;
}

// The elements of a comma list; an empty text restores the default.
std::vector<std::string> listed(const knob &k, const std::string &text) {
    std::vector<std::string> values;
    for (const std::string &element : split(text, ','))
        values.push_back(element.empty() ? k.initial : k.normal_form(element));
    return values;
}

std::string folder_of(const std::string &path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

} // namespace

bool implementation_filter::accepts(const std::string &implementation) const {
    if (names.empty()) return true;
    for (const std::string &name : names)
        if (implementation.find(name) != std::string::npos) return !skip;
    return skip;
}

std::vector<std::string> batch_tokens(const std::string &contents) {
    std::vector<std::string> tokens;
    std::istringstream lines(contents);
    std::string text;
    bool glue = false;
    while (std::getline(lines, text)) {
        std::istringstream words(text);
        std::string word;
        while (words >> word) {
            if (word[0] == '#') break;
            const bool glues_next = word.back() == '\\';
            if (glues_next) word.pop_back();
            if (glue && !tokens.empty())
                tokens.back() += word;
            else if (!word.empty() || !glues_next)
                tokens.push_back(word);
            glue = glues_next;
        }
    }
    return tokens;
}

interpreter::interpreter(case_handler on_case, std::vector<std::string> batch_folders)
    : on_case_(std::move(on_case)), folders_(std::move(batch_folders)) {}

void interpreter::run(const std::vector<std::string> &tokens) {
    for (const std::string &token : tokens) handle(token);
}

void interpreter::handle(const std::string &token) {
    std::string value;
    if (is_global(token)) return;
    if (has_value(token, "batch", value)) return run_batch(value);
    if (is_shared(token) || is_knob(token)) return;
    if (token.rfind("--", 0) == 0) {
        const driver *const named = find_driver(token.substr(2));
        if (named) return select_driver(*named);
        throw usage_error(
            "unknown option or driver '" + token + "'; drivers: " + joined(driver_names(), " "), 2);
    }
    if (!token.empty() && token[0] == '-') throw usage_error("unknown option '" + token + "'", 2);
    run_problem(token);
}

bool interpreter::is_global(const std::string &token) {
    std::string value;
    if (has_value(token, "mode", value)) {
        const std::string mode = upper_case(value);
        if (mode != "L" && mode != "C")
            throw usage_error(
                "mode '" + value + "' is not in this program: L lists, C compares", 2);
        options_.mode = mode[0];
    } else if (has_value(token, "mode-modifier", value)) {
        if (!value.empty()) throw usage_error("mode modifiers are not in this program", 2);
    } else if (has_value(token, "engine", value)) {
        if (lower_case(value).rfind("cpu", 0) != 0) throw usage_error("only the CPU engine exists");
    } else if (has_value(token, "allow-enum-tags-only", value)) {
        if (lower_case(value) != "true" && value != "1")
            throw usage_error("only tags of the enumeration are supported");
    } else if (has_value(token, "start", value)) {
        options_.start = std::size_t(integer_of(value, "start"));
    } else if (has_value(token, "canonical", value)) {
        options_.canonical = lower_case(value) == "true" || value == "1";
    } else if (has_value(token, "verbose", value)) {
        options_.verbose = int(integer_of(value, "verbose"));
    } else if (token.rfind("-v", 0) == 0 && token.size() > 2) {
        options_.verbose = int(integer_of(token.substr(2), "-v"));
    } else {
        for (const char *name : options_without_effect)
            if (has_value(token, name, value)) return true;
        return false;
    }
    return true;
}

bool interpreter::is_shared(const std::string &token) {
    std::string value;
    const auto filter = [&](bool skip) {
        filter_.skip = skip;
        filter_.names.clear();
        if (!value.empty()) filter_.names = split(without_quotes(value), ',');
        return true;
    };
    if (token.rfind("--reset", 0) == 0) return reset(), true;
    if (has_value(token, "match", value)) return match_ = value, true;
    if (has_value(token, "impl", value) || has_value(token, "global-impl", value))
        return filter(false);
    if (has_value(token, "skip-impl", value) || has_value(token, "global-skip-impl", value))
        return filter(true);
    return false;
}

bool interpreter::is_knob(const std::string &token) {
    if (!driver_) return false;
    std::string value;
    for (std::size_t i = 0; i < driver_->knobs.size(); ++i)
        if (has_value(token, driver_->knobs[i].name, value))
            return values_[i] = listed(driver_->knobs[i], value), true;
    return false;
}

void interpreter::select_driver(const driver &d) {
    driver_ = &d;
    reset();
}

void interpreter::reset() {
    values_.clear();
    filter_ = {};
    match_.clear();
    if (!driver_) return;
    for (const knob &k : driver_->knobs) values_.push_back({k.initial});
}

void interpreter::run_problem(const std::string &text) {
    if (!driver_) throw usage_error("no driver before the problem '" + text + "'", 2);
    test_case c;
    c.what = driver_;
    c.problem = normal_problem(*driver_, text);
    bool dropped = false;
    for_each_combination(0, c, dropped);
}

void interpreter::for_each_combination(std::size_t knob_index, test_case &c, bool &dropped) {
    if (dropped) return;
    if (knob_index < values_.size()) {
        for (const std::string &value : values_[knob_index]) {
            c.settings[driver_->knobs[knob_index].name] = value;
            for_each_combination(knob_index + 1, c, dropped);
        }
        return;
    }
    if (!match_.empty() && !std::regex_search(c.line(), std::regex(match_, std::regex::basic)))
        dropped = true;
    else
        on_case_(c, filter_, options_);
}

// As given, then in the folders of files named before and of the program; empty if not there.
std::string interpreter::path_of_batch(const std::string &file) const {
    std::vector<std::string> candidates = {file};
    for (const std::string &folder : folders_) {
        candidates.push_back(folder + "/" + file);
        if (driver_) candidates.push_back(folder + "/" + driver_->name + "/" + file);
    }
    for (const std::string &path : candidates)
        if (std::ifstream(path)) return path;
    return {};
}

void interpreter::run_batch(const std::string &file) {
    const std::string path = path_of_batch(file);
    if (path.empty()) throw usage_error("batch file '" + file + "' was not found");
    std::ifstream stream(path);
    std::stringstream contents;
    contents << stream.rdbuf();
    folders_.insert(folders_.begin(), folder_of(path));
    run(batch_tokens(contents.str()));
}

} // namespace conformance
