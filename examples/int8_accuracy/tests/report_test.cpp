// SPDX-License-Identifier: Apache-2.0
// Checks statistics, JSON, tables, pages, comparison and remarks on an example report.
#include "../evaluation/statistics.hpp"
#include "../report/figures.hpp"
#include "../report/json.hpp"
#include "report_example.hpp"

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

int all() {
    check_statistics();
    check_figures();
    check_json();
    fmt::print("{} failures\n", failures);
    return failures == 0 ? 0 : 1;
}

} // namespace
} // namespace int8_accuracy

int main() { return int8_accuracy::all(); }
