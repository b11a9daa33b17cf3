// SPDX-License-Identifier: Apache-2.0
// Printing of cases.
#include "language/case.hpp"

#include "language/spatial.hpp"
#include "language/text.hpp"

namespace conformance {
namespace {

using defaults = std::map<std::string, dim>;

void put_window(descriptor_entries &entries, const driver &d) {
    const bool pool = d.name == "pool";
    const auto kind = pool                 ? window_kind::pooling
                      : d.name == "deconv" ? window_kind::deconvolution
                                           : window_kind::convolution;
    const window_problem problem = window_problem_of(entries, kind);
    const std::string letters = std::string("dhw").substr(3 - problem.spatial.size());
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const window &w = problem.spatial[i];
        const std::pair<char, dim> values[] = {{'i', w.in}, {'o', w.out}, {'k', w.kernel},
            {'s', w.stride}, {'p', w.pad_left}, {'d', w.dilation}};
        for (const auto &value : values)
            entries.values[std::string {value.first, letters[i]}] = value.second;
    }
}

void put_reals(descriptor_entries &entries, const std::string &driver_name) {
    if (driver_name == "bnorm" || driver_name == "gnorm")
        entries.reals.insert({"eps", default_epsilon});
    if (driver_name != "lrn") return;
    entries.values.insert({"ls", 5});
    entries.reals.insert({{"alpha", 1.f / 8192}, {"beta", 0.75f}, {"k", 1.f}});
}

} // namespace

bool test_case::is_default(const std::string &knob_name) const {
    for (const knob &k : what->knobs)
        if (k.name == knob_name) return settings.at(knob_name) == k.initial;
    return true;
}

std::string test_case::bare_problem() const {
    return what->form == problem_form::descriptor ? problem : problem.substr(0, problem.find('n'));
}

std::string test_case::name() const {
    if (what->form == problem_form::descriptor) return descriptor_of(problem, what->keys).name;
    const std::size_t at = problem.find('n');
    return at == std::string::npos ? "" : problem.substr(at + 1);
}

std::string test_case::epsilon() const {
    const auto found = settings.find("eps");
    if (found != settings.end()) return found->second;
    if (what->name == "lnorm") return text_of(default_epsilon);
    if (what->keys.find("~eps") == std::string::npos) return {};
    return text_of(descriptor_of(problem, what->keys).real("eps", default_epsilon));
}

std::string test_case::knob_text(bool all) const {
    std::string text;
    for (std::size_t index : what->print_order) {
        const knob &k = what->knobs[index];
        if (all || k.always_printed || settings.at(k.name) != k.initial)
            text += " --" + k.name + "=" + settings.at(k.name);
    }
    return text;
}

std::string test_case::problem_text(bool all) const {
    if (!all || what->form != problem_form::descriptor) return problem;
    descriptor_entries entries = descriptor_of(problem, what->keys);
    entries.values.insert({"mb", 2});
    if (what->name == "conv" || what->name == "deconv" || what->name == "pool")
        put_window(entries, *what);
    put_reals(entries, what->name);
    return text_of(entries, what->keys);
}

std::string test_case::line() const { return "--" + what->name + knob_text() + " " + problem; }

std::string test_case::direction() const {
    for (const char *knob_name : {"dir", "prop"})
        if (settings.count(knob_name)) return settings.at(knob_name);
    return "-";
}

std::string test_case::types() const {
    for (const char *knob_name : {"dt", "cfg"})
        if (settings.count(knob_name)) return settings.at(knob_name);
    const auto source = settings.find("sdt"), destination = settings.find("ddt");
    if (source == settings.end()) return "";
    if (destination == settings.end()) return source->second;
    return source->second + "->" + destination->second;
}

} // namespace conformance
