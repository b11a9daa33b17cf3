// SPDX-License-Identifier: Apache-2.0
// What happens in each layer: noise, sensitivity, bytes and ranges; and speeds under each cap.
#include "../../reporting/html.hpp"
#include "../../reporting/plots.hpp"
#include "figures.hpp"
#include "page_sections.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace int8_accuracy {

using namespace reporting;

namespace {

std::vector<std::string> product_names(const network_report &net) {
    std::vector<std::string> names;
    for (const product_facts &p : net.products) names.push_back(p.name);
    return names;
}

/// A table that most readers do not need at first.
std::string folded_away(const std::string &summary, const std::string &html) {
    if (html.empty()) return {};
    return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escaped(summary), html);
}

std::string noise_plot(const network_report &net) {
    std::vector<data_series> series;
    for (const method_result *m : methods_of(net, "formats"))
        if (ran(*m) && m != reference(net) && !m->noise.empty())
            series.push_back({label_of(*m), color_of(series.size() + 1), m->noise});
    if (series.empty()) return {};
    return profile_plot(
        "signal to quantisation noise of each layer's result, dB", product_names(net), series);
}

std::string sensitivity_plot(const network_report &net) {
    const method_result *f32 = reference(net);
    if (net.layers.empty() || !f32) return {};
    std::vector<std::string> rows;
    interval_series alone {"this layer alone is int8", color_of(1), {}},
        all_but {"all but this layer are int8", color_of(2), {}};
    for (const sensitivity &s : by_cost(net)) {
        rows.push_back(s.layer);
        alone.dots.push_back({"", s.alone.value, s.alone.low, s.alone.high});
        all_but.dots.push_back({"", s.all_but.value, s.all_but.low, s.all_but.high});
    }
    return interval_plot("sensitivity of the layers", rows, {alone, all_but},
        {"", f32->found.value, f32->found.low, f32->found.high}, worst_shown(net),
        decimals_of(net.kind), "line and band: f32 and its 95 % interval");
}

std::string bytes_plot(const network_report &net) {
    std::vector<data_series> series;
    for (const method_result *m : {reference(net), bfloat16(net), static_int8(net)})
        if (m && !m->moved_bytes.empty())
            series.push_back({m->name, color_of(series.size()), m->moved_bytes});
    if (series.empty()) return {};
    return bar_plot("bytes moved by each layer for one object", product_names(net), series);
}

} // namespace

std::string layers_section(const network_report &net) {
    const std::string sensitivity = sensitivity_plot(net);
    std::string html = "<h3>Layers</h3>\n" + noise_plot(net) + as_html(causes_table(net));
    std::string noise;
    for (const char *group : {"formats", "methods", "fixed point"})
        noise += as_html(noise_table(net, group));
    html += folded_away("Noise of all methods as tables", noise);
    if (!sensitivity.empty()) html += "<div class=\"single\">\n" + sensitivity + "</div>\n";
    html += folded_away("Sensitivity as a table", as_html(sensitivity_table(net)));
    html += bytes_plot(net);
    return html + folded_away("Bytes as a table", as_html(bytes_table(net)));
}

std::string ranges_section(const network_report &net) {
    std::string plots;
    for (const product_facts &p : net.products) {
        if (p.source.counts.empty()) continue;
        std::vector<marked_range> ranges;
        for (const calibration::named_rule &r : calibration::range_rules)
            ranges.push_back({r.name, color_of(ranges.size() + 1),
                calibration::chosen_range(
                    p.source, r.rule, calibration::activation_grid::asymmetric)});
        plots += histogram_plot("read by " + p.name, p.source, ranges);
    }
    if (plots.empty()) return {};
    return "<h3>Ranges</h3>\n" +
           paragraphs({fmt::format("What the layers read, over {} objects of the training data: "
                                   "counts on a logarithmic scale, and the ranges that each rule "
                                   "keeps for integers of 8 bits.",
               count_text(net.calibration_count))}) +
           folded_away("Histograms of all layers", "<div class=\"pair\">\n" + plots + "</div>\n");
}

namespace {

/// Long names of caps break at their second underscore.
std::string two_lines(const std::string &level) {
    const std::size_t first = level.find('_'),
                      second = first == std::string::npos ? first : level.find('_', first + 1);
    if (second == std::string::npos) return level;
    return level.substr(0, second) + "\n" + level.substr(second + 1);
}

/// The methods of all caps by name, each with its speeds at one batch.
std::string caps_plot(const network_report &net, std::size_t batch) {
    std::vector<std::string> categories;
    std::vector<data_series> series;
    std::size_t caps = 0;
    for (const level_speed &level : net.levels) {
        if (level.methods.empty()) continue;
        categories.push_back(two_lines(level.level));
        ++caps;
        for (const method_speed &m : level.methods) {
            auto at = std::find_if(series.begin(), series.end(),
                [&](const data_series &s) { return s.name == m.name; });
            if (at == series.end()) at = series.insert(at, {m.name, color_of(series.size()), {}});
            at->values.resize(caps);
            if (batch < m.per_second.size()) at->values.back() = m.per_second[batch];
        }
    }
    for (data_series &s : series) s.values.resize(caps);
    if (series.empty()) return {};
    return bar_plot(
        fmt::format("{} per second at batch {}",
            net.kind == score_kind::accuracy ? "objects" : "characters", net.batches[batch]),
        categories, series);
}

} // namespace

std::string speed_section(const network_report &net) {
    std::string html;
    const bool measured = own_level(net) != nullptr;
    if (!net.levels.empty()) {
        html += "<h3>Where speed is won</h3>\n";
        for (std::size_t b = net.batches.size(); measured && b-- > 0;) html += caps_plot(net, b);
        html += as_html(speed_table(net));
    }
    if (!net.mixed.empty())
        html += "<h3>Mixed assignments</h3>\n" + as_html(mixed_table(net)) +
                folded_away("Formats of the layers", as_html(mixed_layers_table(net)));
    return html;
}

} // namespace int8_accuracy
