// SPDX-License-Identifier: Apache-2.0
// Checks statistics, JSON, tables, pages, comparison and remarks on an example report.
#include "../evaluation/statistics.hpp"
#include "../report/comparison.hpp"
#include "../report/figures.hpp"
#include "../report/json.hpp"
#include "../report/page.hpp"
#include "../report/remarks.hpp"
#include "../report/text.hpp"
#include "report_example.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

int failures = 0;

void check(bool well, const std::string &what) {
    fmt::print("{} {}\n", well ? "ok    " : "FAILED", what);
    if (!well) ++failures;
}

bool near(double a, double b, double tolerance) { return std::fabs(a - b) <= tolerance; }

/// The message of the exception, or an empty text.
std::string complaint_of(const std::function<void()> &action) {
    try {
        action();
    } catch (const std::exception &error) {
        return error.what();
    }
    return {};
}

// Expected values: the closed forms, evaluated with 30 digits.
void check_statistics() {
    const score s = accuracy_of(985, 1000);
    check(near(s.value, 98.5, 1e-12), "985 of 1000 are 98.5 %");
    check(near(s.low, 97.5399023, 1e-6) && near(s.high, 99.0889021, 1e-6),
        fmt::format("its interval is {:.4f} ... {:.4f}", s.low, s.high));
    check(
        accuracy_of(0, 50).low == 0 && accuracy_of(50, 50).high == 100, "intervals end at 0, 100");
    check(near(accuracy_of(0, 50).high, 7.1348, 1e-3), "none of 50: at most 7.13 %");
    check(accuracy_of(0, 0).high == 100, "nothing known about no answers");
    check(near(paired_test(10, 2), 79. / 2048, 1e-12), "10 against 2: p = 79 / 2048");
    check(near(paired_test(2, 10), paired_test(10, 2), 1e-15), "the same the other way around");
    check(paired_test(0, 0) == 1 && paired_test(5, 5) == 1, "no difference: p = 1");
    check(near(paired_test(0, 6), 2. / 64, 1e-12), "0 against 6: p = 2 / 64");
    check(paired_test(4000, 1000) < 1e-100 && paired_test(4000, 4010) > .9, "large counts");
    const std::vector<double> a {1, 2, 3, 4}, b {.5, 2.5, 2, 4};
    // Differences .5, -.5, 1, 0: mean .25, variance 1.25 / 3, standard error .32275, z = .7746.
    check(near(paired_test(a, b), .438578, 1e-5),
        fmt::format("means: p = {:.6f}", paired_test(a, b)));
    check(paired_test(a, a) == 1, "equal losses: p = 1");
    check(paired_test({2, 3, 4}, {1, 2, 3}) == 0, "a constant difference: p = 0");
    const score m = mean_of({1, 2, 3, 4});
    check(near(m.value, 2.5, 1e-12) && near(m.high - m.value, 1.96 * .6454972, 1e-4),
        "mean of 1 ... 4");
    check(!complaint_of([] { accuracy_of(3, 2); }).empty(), "3 of 2 are refused");
    check(!complaint_of([] { paired_test({1}, {1, 2}); }).empty(), "different counts are refused");
}

void check_figures() {
    const std::vector<std::pair<double, double>> points {
        {1, 98}, {2, 97}, {1.5, 96}, {3, 90}, {1, 97}};
    const std::vector<bool> front = frontier(score_kind::accuracy, points);
    check(front == std::vector<bool> {true, true, false, true, false}, "frontier of accuracies");
    check(frontier(score_kind::bits_per_character, {{1, 2.}, {2, 1.}}) ==
              std::vector<bool> {false, true},
        "frontier of bits per character");
    check(number(-.0001, 2) == "0.00" && signed_number(.5, 2) == "+0.50", "zero has no sign");
    check(number(std::nan(""), 2) == "-", "NaN is a dash");
    check(
        decibel_text(std::numeric_limits<double>::infinity()) == "exact", "infinite dB are exact");
    check(count_text(1234567) == "1 234 567" && count_text(123) == "123", "digits in threes");
}

std::string damaged(const std::string &text, const std::string &from, const std::string &to) {
    std::string other = text;
    const std::size_t at = other.find(from);
    if (at == std::string::npos) throw std::logic_error("the text has no " + from);
    return other.replace(at, from.size(), to);
}

void check_complaint(const std::string &text, const std::string &part) {
    const std::string message = complaint_of([&] { from_json(text, "some.json"); });
    check(message.starts_with("some.json: ") && message.find('\n') == std::string::npos &&
              message.find(part) != std::string::npos,
        message.empty() ? "no complaint: " + part : message);
}

void check_json() {
    report original = example_report();
    original.networks[0].methods[1].p_value = std::nan("");
    original.networks[0].methods[2].agreement = .1 + .2;
    original.networks[0].origin = "\"quoted\"\n\\ \t \xc3\xa9";
    const std::string text = to_json(original);
    const report back = from_json(text, "some.json");
    check(to_json(back) == text, fmt::format("JSON again is the same {} bytes", text.size()));
    check(back.seed == original.seed && back.networks[0].origin == original.networks[0].origin,
        "seed of 64 bits and texts survive");
    check(std::isinf(back.networks[0].methods[0].noise[0]) &&
              std::isnan(back.networks[0].methods[1].p_value) &&
              back.networks[0].methods[2].agreement == .1 + .2,
        "infinity, NaN and 0.1 + 0.2 survive");
    check(back.networks[3].kind == score_kind::bits_per_character &&
              back.networks[2].products[1].source.counts ==
                  original.networks[2].products[1].source.counts &&
              back.networks[2].products[1].source.range.high ==
                  original.networks[2].products[1].source.range.high,
        "kind and histograms survive");
    check(to_json(from_json(to_json(report {}), "x")) == to_json(report {}), "an empty report");
    for (double part : {0., .1, .5, .9, .9999})
        check_complaint(text.substr(0, std::size_t(part * double(text.size()))), "is no JSON text");
    check_complaint("[1, 2]", "is no report");
    check_complaint(damaged(text, "\"version\": 1", "\"version\": 7"), "version 1");
    check_complaint(damaged(text, "\"cpu\"", "\"gpu\""), "cpu: is missing");
    check_complaint(damaged(text, "\"threads\": 1", "\"threads\": 1.5"), "threads: is not a whole");
    check_complaint(damaged(text, "\"threads\": 1", "\"threads\": 99999999999"), "out of range");
    check_complaint(damaged(text, "\"kind\": \"accuracy\"", "\"kind\": 3"), "networks[0].kind");
    check_complaint(
        damaged(text, "\"p_value\": 1.0", "\"p_value\": \"one\""), "p_value: is not a number");
    check_complaint(
        damaged(text, "\"noise_db\": [", "\"noise_db\": [1.0,"), "5 values, 4 are expected");
    check_complaint(damaged(text, "\"counts\": [", "\"counts\": [], \"more\": ["), "no counts");
    check_complaint(
        damaged(text, "\"products\": [", "\"products\": 3, \"more\": ["), "is not a list");
    check(complaint_of([] { read_report("/nowhere/a.json"); }) == "/nowhere/a.json: cannot read",
        "a file that is not there");
}

std::string cell_of(const text_table &table, const std::string &heading, std::size_t column) {
    for (const auto &row : table.rows)
        if (row[0] == heading) return row.at(column);
    return "no row " + heading;
}

void check_tables() {
    const report all = example_report();
    const network_report &net = all.networks[0];
    for (const text_table &t :
        {training_table(net), scores_table(net, "methods", "methods"), fixed_point_table(net),
            noise_table(net, "formats"), causes_table(net), sensitivity_table(net),
            bytes_table(net), speed_table(net), mixed_table(net), mixed_layers_table(net)}) {
        bool whole = !t.rows.empty();
        for (const auto &row : t.rows) whole = whole && row.size() == t.titles.size();
        check(whole, fmt::format("{}: {} rows", t.caption, t.rows.size()));
    }
    const text_table fixed = fixed_point_table(net);
    check(cell_of(fixed, "digits: 4-4-4", 4) == "31.40" &&
              cell_of(fixed, "digits: 4-4-4", 5) == "4.80",
        "losses of fixed point without and with fine-tuning");
    check(cell_of(fixed, "LeNet 4-4-4 (published)", 4) == "0.40", "a published loss");
    check(fixed_point_table(all.networks[3]).rows.size() == 3, "no published rows beside bits");
    const text_table causes = causes_table(net);
    check(cell_of(causes, "dense1", 1) == "4.50" && cell_of(causes, "dense1", 2) == "5.4",
        "spread of the weights and reach of the inputs of a layer");
    const text_table formats = scores_table(net, "formats", "formats");
    check(formats.notes.size() == 3 && formats.notes[0].find("f16 with f16 sums does not run") == 0,
        "a refusal is a note below the table");
}

void check_remarks() {
    report all = example_report();
    add_remarks(all);
    const auto &said = all.networks[0].remarks;
    const auto says = [&](const std::string &part) {
        return std::any_of(said.begin(), said.end(),
            [&](const std::string &s) { return s.find(part) != std::string::npos; });
    };
    check(says("\"int8 static\" loses 0.12 points against f32"), "what int8 loses");
    check(says("\"per tensor, symmetric, min-max\" loses 1.34 points"),
        "what one scale for all weights loses");
    check(says("Fixed point 4-2-2 loses 70.20 points without fine-tuning and 17.50"),
        "what fine-tuning wins back");
    all.networks[0].levels[1].checksum = "other";
    check(!equal_bits(all.networks[0]), "bits that differ are found");
    check(remarks_of(all.networks[0]).back().find("differ between caps") != std::string::npos,
        "bits that differ between caps are told");
}

void check_comparison() {
    const report a = example_report();
    report b = a;
    b.networks.pop_back();
    b.networks[0].methods[1].found.value += 1.5;
    b.networks[0].methods[2].refusal = "unimplemented";
    b.networks[1].held_out_count = 17;
    const auto tables = comparison_tables(a, "a.json", b, "b.json");
    check(tables.size() == 5 && tables[0].notes.size() == 1 &&
              tables[0].notes[0] == "transformer is in A alone.",
        "networks that one run has");
    check(cell_of(tables[1], "bf16", 3) == "+1.50" && cell_of(tables[1], "f32", 3) == "0.00",
        "differences of scores");
    check(tables[1].notes == std::vector<std::string> {"f16: refused in b.json."},
        "a method that one run refused");
    check(tables[2].notes == std::vector<std::string> {fmt::format(
                                 "Held-out objects: {} and 17.", a.networks[1].held_out_count)},
        "counts that differ");
    check(comparison_page(tables, "a", "b").find("</html>") != std::string::npos, "as a page");
}

/// Every element that is opened is closed in the right order, and no text is markup.
bool well_formed(const std::string &html) {
    std::vector<std::string> open;
    for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
        const std::size_t end = html.find('>', at);
        const std::string tag = html.substr(at + 1, end - at - 1);
        const std::string name = tag.substr(0, tag.find_first_of(" \n/", 1));
        if (tag.empty() || tag[0] == '!' || tag.back() == '/' || name == "meta") continue;
        if (tag[0] != '/')
            open.push_back(name);
        else if (open.empty() || "/" + open.back() != tag)
            return false;
        else
            open.pop_back();
    }
    return open.empty();
}

void check_pages() {
    report all = example_report();
    add_remarks(all);
    const std::string html = page_of(all), text = as_text(all);
    check(well_formed(html), fmt::format("a page of {} bytes is well formed", html.size()));
    check(html.find("drawn &lt;objects&gt; &amp; &quot;textures&quot;") != std::string::npos ||
              html.find("drawn &lt;objects&gt; &amp; \"textures\"") != std::string::npos,
        "texts of the data are escaped");
    check(html.find("http://") == html.find("http://www.w3.org"), "it needs no other file");
    std::size_t widest = 0, begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
        widest = std::max(widest, end - begin);
    check(widest <= 100, fmt::format("the terminal's widest line has {} characters", widest));
}

int all() {
    check_tables();
    check_remarks();
    check_comparison();
    check_pages();
    check_statistics();
    check_figures();
    check_json();
    fmt::print("{} failures\n", failures);
    return failures == 0 ? 0 : 1;
}

} // namespace
} // namespace int8_accuracy

int main() { return int8_accuracy::all(); }
