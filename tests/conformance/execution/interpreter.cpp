// SPDX-License-Identifier: Apache-2.0
// Tokens, options, batch files and the product of the knobs' lists.
#include "execution/interpreter.hpp"

#include "language/text.hpp"
#include "language/usage_error.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace conformance {
namespace {

// The elements of a comma list; an empty text restores the default.
std::vector<std::string> listed(const knob &k, const std::string &text) {
    std::vector<std::string> values;
    for (const std::string &element : split(text, ',')) {
        try {
            values.push_back(element.empty() ? k.initial : k.normal_form(element));
        } catch (const usage_error &error) {
            throw usage_error("--" + k.name + ": " + error.what(), error.exit_code);
        }
    }
    return values;
}

// Characters to insert, remove and exchange.
std::size_t edit_distance(const std::string &a, const std::string &b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row[b.size()];
}

std::string folder_of(const std::string &path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

} // namespace

std::string run_options::line(const test_case &c) const {
    return global.text_before_driver() + "--" + c.what->name + global.text_after_driver() +
           c.knob_text(global.canonical) + filter.text() + " " + c.problem_text(global.canonical);
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
            // A lone '\' joins the tokens before and behind it.
            if ((glue || (word.empty() && glues_next)) && !tokens.empty())
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
    ends_with_option_ = true;
    if (options_.take(token)) return;
    if (option_value(token, "batch", value)) return run_batch(value);
    if (is_knob(token) || is_shared(token)) return;
    if (token.rfind("--", 0) == 0) {
        const driver *const named = find_driver(token.substr(2));
        if (named) return select_driver(*named);
        if (!driver_ && token.find('=') == token.npos)
            throw usage_error("Error: can't parse the driver name '" + token.substr(2) +
                              "'; drivers: " + joined(driver_names(), " "));
    }
    if (!token.empty() && token[0] == '-')
        throw usage_error("unknown option '" + token + "'" + suggestion_for(token), 2);
    ends_with_option_ = false;
    run_problem(token);
}

std::string interpreter::suggestion_for(const std::string &token) const {
    const std::string name = token.substr(0, token.find('='));
    std::vector<std::string> known = global_option_names();
    for (const char *shared :
        {"batch", "help", "reset", "perf-template", "match", "impl", "skip-impl"})
        known.push_back(shared);
    if (driver_)
        for (const knob &k : driver_->knobs) known.push_back(k.name);
    std::string nearest;
    std::size_t least = name.size() / 2 + 1;
    for (const std::string &candidate : known)
        if (const auto distance = edit_distance(name, "--" + candidate); distance < least) {
            least = distance;
            nearest = candidate;
        }
    return nearest.empty() ? "" : "\nDid you mean --" + nearest + "?";
}

bool interpreter::is_shared(const std::string &token) {
    std::string value;
    if (token.rfind("--help", 0) == 0) return help_wanted_ = true;
    if (token.rfind("--reset", 0) == 0) return reset(), true;
    if (option_value(token, "perf-template", value)) {
        performance_ = performance_template(value);
        return true;
    }
    if (driver_ && driver_->name == "zeropad") return false;
    if (option_value(token, "match", value)) return set_match(value), true;
    if (option_value(token, "impl", value)) return filter_ = filter_of(value, false), true;
    if (option_value(token, "skip-impl", value)) return filter_ = filter_of(value, true), true;
    return false;
}

void interpreter::set_match(const std::string &expression) {
    match_.reset();
    if (expression.empty()) return;
    try {
        match_ = std::make_unique<std::regex>(expression, std::regex::basic);
    } catch (const std::regex_error &) {
        throw usage_error("'" + expression + "' is not a basic regular expression");
    }
}

bool interpreter::is_knob(const std::string &token) {
    if (!driver_) return false;
    std::string value;
    if (driver_->name == "matmul" && option_value(token, "bia_dt", value)) {
        std::printf("warning: --bia_dt is an old name of --bia-dt\n");
        return is_knob("--bia-dt=" + value);
    }
    for (std::size_t i = 0; i < driver_->knobs.size(); ++i)
        if (option_value(token, driver_->knobs[i].name, value))
            return values_[i] = listed(driver_->knobs[i], value), true;
    return false;
}

// The mode may change the default of a knob, so it has to stand in front of the driver.
void interpreter::select_driver(const driver &d) {
    auto own = std::make_shared<driver>(d);
    if (options_.create_in_parallel) own->set_initial("attr-scratchpad", "user");
    if (options_.mode == run_mode::repeat && d.name == "rnn") own->set_initial("flags", "O");
    driver_ = own;
    reset();
}

void interpreter::reset() {
    values_.clear();
    filter_ = {};
    match_.reset();
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
    if (match_ && driver_->name != "rnn" && !std::regex_search(c.line(), *match_)) {
        dropped = true;
        return;
    }
    const bool global_filter = !options_.filter.names.empty();
    const run_options options {
        options_, global_filter ? options_.filter : filter_, performance_, walk_only_};
    for (std::size_t i = 0; i < options_.repeats; ++i) on_case_(c, options);
}

// As given, then in the folders of files named before and of the program; empty if not there.
std::string interpreter::path_of_batch(const std::string &file) const {
    std::vector<std::string> candidates = {file};
    for (const std::string &folder : folders_) {
        candidates.push_back(folder + "/" + file);
        if (driver_) candidates.push_back(folder + "/" + driver_->name + "/" + file);
    }
    for (const std::string &path : candidates)
        if (std::ifstream(path).good() && path.back() != '/') return path;
    return {};
}

void interpreter::run_batch(const std::string &file) {
    const std::string path = path_of_batch(file);
    if (path.empty()) throw usage_error("batch file '" + file + "' was not found");
    if (options_.verbose >= tells_batch_files) std::printf("batch file: %s\n", path.c_str());
    std::ifstream stream(path);
    std::stringstream contents;
    contents << stream.rdbuf();
    folders_.insert(folders_.begin(), folder_of(path));
    run(batch_tokens(contents.str()));
}

} // namespace conformance
