// SPDX-License-Identifier: Apache-2.0
// Rows of methods with the figures of both reports.
#include "comparison.hpp"

#include "../../reporting/html.hpp"
#include "figures.hpp"
#include "page_sections.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

/// "fixed point 4-4-4, tuned": unlike a name alone, no two methods of a network share it.
std::string full_name(const method_result &method) {
    return (method.group == "fixed point" ? "fixed point " : "") + method.name +
           (method.tuned ? ", fine-tuned" : "");
}

const method_result *same_method(const network_report &in, const method_result &as) {
    return find_method(in, as.name, as.group, as.tuned);
}

std::vector<std::string> row_of(score_kind kind, const method_result &a, const method_result &b) {
    return {full_name(a), score_text(kind, a.found), score_text(kind, b.found),
        difference_text(kind, b.found.value - a.found.value),
        apart(a.found, b.found) ? "yes" : "no", count_text(sum(a.weight_bytes)),
        count_text(sum(b.weight_bytes)), count_text(a.speed), count_text(b.speed),
        ratio_text(ratio(b.speed, a.speed))};
}

void add_differences(text_table &to, const network_report &a, const network_report &b) {
    const auto note = [&](const std::string &what, const auto &of_a, const auto &of_b) {
        if (of_a != of_b) to.notes.push_back(fmt::format("{}: {} and {}.", what, of_a, of_b));
    };
    note("Data", a.origin, b.origin);
    note("Training objects", a.training_count, b.training_count);
    note("Held-out objects", a.held_out_count, b.held_out_count);
    note("Calibration objects", a.calibration_count, b.calibration_count);
    if (a.text != b.text) to.notes.emplace_back("The networks have different layers.");
}

/// The methods of `a` that `b` lacks or could not run, and the other way round.
void add_missing(text_table &to, const network_report &a, const network_report &b,
    const std::string &name_a, const std::string &name_b) {
    for (const auto &[from, in, name] :
        {std::tuple {&a, &b, &name_b}, std::tuple {&b, &a, &name_a}})
        for (const method_result &each : from->methods) {
            const method_result *other = same_method(*in, each);
            if (ran(each) && (!other || !ran(*other)))
                to.notes.push_back(fmt::format(
                    "{}: {} {}.", full_name(each), other ? "refused in" : "not in", *name));
        }
}

text_table network_table(const network_report &a, const network_report &b,
    const std::string &name_a, const std::string &name_b) {
    const std::string unit = unit_of(a.kind);
    text_table t {fmt::format("{}: {} and {}", a.name, name_a, name_b),
        {"", unit + " A", unit + " B", "B - A", "intervals apart", "weight bytes A",
            "weight bytes B", "per second A", "per second B", "B / A"},
        {}, {}};
    for (const method_result &each : a.methods) {
        const method_result *other = same_method(b, each);
        if (ran(each) && other && ran(*other)) t.rows.push_back(row_of(a.kind, each, *other));
    }
    add_differences(t, a, b);
    add_missing(t, a, b, name_a, name_b);
    return t;
}

const network_report *network_named(const report &in, const std::string &name) {
    const auto found = std::find_if(in.networks.begin(), in.networks.end(),
        [&](const network_report &each) { return each.name == name; });
    return found == in.networks.end() ? nullptr : &*found;
}

} // namespace

std::vector<text_table> comparison_tables(
    const report &a, const std::string &name_a, const report &b, const std::string &name_b) {
    text_table runs {"the two runs", {"", "library", "processor", "threads", "seed"},
        {{"A: " + name_a, a.library, a.cpu, std::to_string(a.threads), std::to_string(a.seed)},
            {"B: " + name_b, b.library, b.cpu, std::to_string(b.threads), std::to_string(b.seed)}},
        {}};
    std::vector<text_table> tables;
    for (const network_report &each : a.networks) {
        const network_report *other = network_named(b, each.name);
        if (!other)
            runs.notes.push_back(fmt::format("{} is in A alone.", each.name));
        else if (other->kind != each.kind)
            runs.notes.push_back(fmt::format("{} is judged in different units.", each.name));
        else
            tables.push_back(network_table(each, *other, name_a, name_b));
    }
    for (const network_report &each : b.networks)
        if (!network_named(a, each.name))
            runs.notes.push_back(fmt::format("{} is in B alone.", each.name));
    tables.insert(tables.begin(), runs);
    return tables;
}

std::string comparison_page(
    const std::vector<text_table> &tables, const std::string &name_a, const std::string &name_b) {
    std::string body = "<main>\n";
    for (const text_table &each : tables) body += "<section>\n" + as_html(each) + "</section>\n";
    return reporting::page("int8 accuracy, two runs", "Two runs side by side",
        fmt::format("A is {}, B is {}.", name_a, name_b), body + "</main>\n");
}

} // namespace int8_accuracy
