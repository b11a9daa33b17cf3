// SPDX-License-Identifier: Apache-2.0
// Score against speed, training curves, and the scores of formats, methods and fixed point.
#include "../../reporting/html.hpp"
#include "../../reporting/plots.hpp"
#include "figures.hpp"
#include "page_sections.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace int8_accuracy {

using namespace reporting;

// Okabe and Ito's colours, but for a grey first one.
const char *color_of(std::size_t series) {
    constexpr std::array<const char *, 8> colors {
        "#7f8790", "#0a83c9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#a58b00"};
    return colors[series % colors.size()];
}

std::string anchor_of(const std::string &name) {
    std::string anchor = "network-";
    for (char c : name) anchor += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
    return anchor;
}

std::string paragraphs(const std::vector<std::string> &sentences) {
    std::string html;
    for (const std::string &sentence : sentences)
        html += "<p class=\"note\">" + escaped(sentence) + "</p>\n";
    return html;
}

std::string as_html(const text_table &t) {
    if (t.rows.empty() && t.notes.empty()) return {};
    const std::string rows = t.rows.empty() ? "" : table(t.titles, t.rows, t.caption);
    return rows + paragraphs(t.notes);
}

namespace {

/// The largest finite end of an interval is enough room; f32's interval is the measure.
double half_width(const network_report &net) {
    const method_result *f32 = reference(net);
    if (!f32) return 1;
    const double half = (f32->found.high - f32->found.low) / 2;
    return half > 0 && std::isfinite(half) ? half : 1;
}

std::string score_axis(const network_report &net) {
    return net.kind == score_kind::accuracy ? "accuracy, % of held-out answers"
                                            : "bits per character (up: fewer)";
}

const char *group_color(const std::string &group) {
    if (group == "formats") return color_of(1);
    return group == "methods" ? color_of(3) : color_of(4);
}

dot dot_of(const score &s) { return {"", s.value, s.low, s.high}; }

} // namespace

double worst_shown(const network_report &net) {
    const method_result *f32 = reference(net);
    if (!f32) return net.kind == score_kind::accuracy ? 0 : 8;
    const double room = 4 * half_width(net);
    return net.kind == score_kind::accuracy ? std::max(0., f32->found.value - room)
                                            : f32->found.value + room;
}

std::string pareto_plot(const network_report &net) {
    std::vector<const method_result *> shown;
    std::vector<std::pair<double, double>> places;
    for (const method_result &m : net.methods)
        if (ran(m) && m.speed > 0 && std::isfinite(m.speed) && std::isfinite(m.found.value)) {
            shown.push_back(&m);
            places.emplace_back(m.speed, m.found.value);
        }
    if (shown.empty()) return {};
    const std::vector<bool> first = frontier(net.kind, places);
    const double f32 = reference(net) ? reference(net)->speed : 0;
    std::vector<scatter_point> points;
    for (std::size_t i = 0; i < shown.size(); ++i)
        points.push_back({label_of(*shown[i]),
            shown[i] == reference(net) ? color_of(0) : group_color(shown[i]->group),
            f32 > 0 ? places[i].first / f32 : places[i].first, dot_of(shown[i]->found), first[i]});
    return scatter_plot(net.name, points, net.kind == score_kind::accuracy, worst_shown(net),
        net.kind == score_kind::accuracy ? 1 : 2,
        f32 > 0 ? "speed, multiples of f32" : "objects per second", score_axis(net));
}

std::string training_section(const network_report &net) {
    if (net.training.empty()) return {};
    std::vector<data_series> losses, accuracies;
    for (std::size_t i = 0; i < net.training.size(); ++i) {
        const training_curve &c = net.training[i];
        if (!c.losses.empty()) losses.push_back({c.name, color_of(i + 1), c.losses});
        if (!c.accuracies.empty()) accuracies.push_back({c.name, color_of(i + 1), c.accuracies});
    }
    std::string plots;
    if (!losses.empty()) plots += lines_plot("loss on training data, nats", losses, "epoch");
    if (!accuracies.empty())
        plots += lines_plot("accuracy on training data, %", accuracies, "epoch");
    return "<h3>Training</h3>\n<div class=\"pair\">\n" + plots + "</div>\n" +
           as_html(training_table(net));
}

namespace {

/// Rows of a group with their intervals; methods that did not run have none.
std::string scores_plot(
    const network_report &net, const std::string &group, const std::string &title) {
    const method_result *f32 = reference(net);
    if (!f32) return {};
    std::vector<std::string> rows;
    interval_series series {group, group_color(group), {}};
    for (const method_result *m : methods_of(net, group))
        if (ran(*m)) {
            rows.push_back(label_of(*m));
            series.dots.push_back(dot_of(m->found));
        }
    if (rows.empty()) return {};
    const std::string note =
        fmt::format("{}; line and band: f32 and its 95 % interval", score_axis(net));
    return interval_plot(
        title, rows, {series}, dot_of(f32->found), worst_shown(net), decimals_of(net.kind), note);
}

} // namespace

std::string scores_section(const network_report &net) {
    const std::string plots = scores_plot(net, "formats", "formats") +
                              scores_plot(net, "methods", "choices of int8") +
                              scores_plot(net, "fixed point", "dynamic fixed point");
    std::string html = "<h3>Where accuracy is lost</h3>\n";
    html += as_html(scores_table(net, "formats", "formats"));
    html += as_html(scores_table(net, "methods", "choices of int8"));
    html += as_html(fixed_point_table(net));
    if (!plots.empty()) html += "<div class=\"pair\">\n" + plots + "</div>\n";
    return html;
}

} // namespace int8_accuracy
