// SPDX-License-Identifier: Apache-2.0
// Comparisons with f32, and numbers as text.
#include "figures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace int8_accuracy {

bool ran(const method_result &method) { return method.refusal.empty(); }

const method_result *reference(const network_report &net) {
    return !net.methods.empty() && ran(net.methods.front()) ? &net.methods.front() : nullptr;
}

namespace {

const method_result *first_named(const network_report &net, const char *begin, bool any_group) {
    for (const method_result &m : net.methods)
        if (ran(m) && m.name.starts_with(begin) && (any_group || m.group == "formats")) return &m;
    return nullptr;
}

} // namespace

const method_result *static_int8(const network_report &net) {
    const method_result *found = first_named(net, "int8", false);
    return found ? found : first_named(net, "int8", true);
}

const method_result *bfloat16(const network_report &net) { return first_named(net, "bf16", false); }

const method_result *find_method(
    const network_report &net, const std::string &name, const std::string &group, bool tuned) {
    for (const method_result &m : net.methods)
        if (m.name == name && m.group == group && m.tuned == tuned) return &m;
    return nullptr;
}

std::vector<const method_result *> methods_of(const network_report &net, const std::string &group) {
    std::vector<const method_result *> found;
    for (const method_result &m : net.methods)
        if (m.group == group) found.push_back(&m);
    return found;
}

double gain(score_kind kind, double value, double than) {
    return kind == score_kind::accuracy ? value - than : than - value;
}

bool apart(const score &a, const score &b) { return a.high < b.low || b.high < a.low; }

double ratio(double a, double b) {
    const bool fit = a > 0 && b > 0 && std::isfinite(a) && std::isfinite(b);
    return fit ? a / b : 0;
}

double sum(const std::vector<double> &values) {
    return std::accumulate(values.begin(), values.end(), 0.);
}

double speed_up(const network_report &net, const method_result &method) {
    const method_result *f32 = reference(net);
    return f32 ? ratio(method.speed, f32->speed) : 0;
}

double speed_up(const level_speed &level, std::size_t method, std::size_t batch) {
    const auto at = [&](std::size_t m) {
        const bool there = m < level.methods.size() && batch < level.methods[m].per_second.size();
        return there ? level.methods[m].per_second[batch] : 0;
    };
    return ratio(at(method), at(0));
}

const level_speed *own_level(const network_report &net) {
    const level_speed *found = nullptr;
    for (const level_speed &level : net.levels) {
        if (level.methods.empty()) continue;
        if (level.level == "DEFAULT") return &level;
        found = &level;
    }
    return found;
}

bool equal_bits(const network_report &net) {
    if (!net.exact) return true;
    std::string first;
    for (const level_speed &level : net.levels) {
        if (level.checksum.empty()) continue;
        if (first.empty()) first = level.checksum;
        if (level.checksum != first) return false;
    }
    return true;
}

std::vector<bool> frontier(score_kind kind, const std::vector<std::pair<double, double>> &points) {
    const auto beats = [&](const auto &a, const auto &b) {
        const double better = gain(kind, a.second, b.second);
        return a.first >= b.first && better >= 0 && (a.first > b.first || better > 0);
    };
    std::vector<bool> found;
    for (const auto &point : points)
        found.push_back(std::none_of(
            points.begin(), points.end(), [&](const auto &other) { return beats(other, point); }));
    return found;
}

double mean_noise(const method_result &method) {
    double all = 0;
    int count = 0;
    for (double db : method.noise)
        if (std::isfinite(db)) {
            all += db;
            ++count;
        }
    return count > 0 ? all / count : 0;
}

double peak_to_rms(const calibration::histogram &values) {
    double squares = 0;
    for (std::size_t bin = 0; bin < values.counts.size(); ++bin)
        squares += values.counts[bin] * values.centre(bin) * values.centre(bin);
    return ratio(values.range.largest(), std::sqrt(squares / sum(values.counts)));
}

std::vector<sensitivity> by_cost(const network_report &net) {
    std::vector<sensitivity> sorted = net.layers;
    std::stable_sort(sorted.begin(), sorted.end(), [&](const auto &a, const auto &b) {
        return gain(net.kind, a.alone.value, b.alone.value) < 0;
    });
    return sorted;
}

std::string label_of(const method_result &method) {
    return method.name + (method.tuned ? ", tuned" : "") + (method.simulated ? " *" : "");
}

std::string number(double value, int decimals) {
    if (!std::isfinite(value)) return "-";
    const std::string text = fmt::format("{:.{}f}", value, decimals);
    const bool zero = text.find_first_not_of("-0.") == std::string::npos;
    return zero && text.front() == '-' ? text.substr(1) : text;
}

std::string signed_number(double value, int decimals) {
    const std::string text = number(value, decimals);
    const bool zero = text.find_first_not_of("-0.") == std::string::npos;
    return zero || text.front() == '-' ? text : "+" + text;
}

int decimals_of(score_kind kind) { return kind == score_kind::accuracy ? 2 : 3; }

std::string unit_of(score_kind kind) {
    return kind == score_kind::accuracy ? "%" : "bits per character";
}

std::string score_text(score_kind kind, const score &of) {
    return number(of.value, decimals_of(kind));
}

std::string interval_text(score_kind kind, const score &of) {
    return number(of.low, decimals_of(kind)) + " ... " + number(of.high, decimals_of(kind));
}

std::string difference_text(score_kind kind, double of) {
    return signed_number(of, decimals_of(kind));
}

std::string p_text(double p) {
    if (!std::isfinite(p)) return "-";
    return p < .001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

std::string decibel_text(double db) { return db > 0 && std::isinf(db) ? "exact" : number(db, 1); }

std::string count_text(double value) {
    if (!std::isfinite(value)) return "-";
    if (std::fabs(value) >= 9.9995e8) return fmt::format("{:.2f} G", value / 1e9);
    if (std::fabs(value) >= 9.9995e6) return fmt::format("{:.1f} M", value / 1e6);
    std::string digits = fmt::format("{:.0f}", value);
    for (auto at = int(digits.size()) - 3; at > (digits.front() == '-' ? 1 : 0); at -= 3)
        digits.insert(std::size_t(at), " ");
    return digits;
}

std::string ratio_text(double value) {
    return value > 0 && std::isfinite(value) ? fmt::format("{:.2f}x", value) : "-";
}

} // namespace int8_accuracy
