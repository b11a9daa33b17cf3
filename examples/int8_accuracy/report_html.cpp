// SPDX-License-Identifier: Apache-2.0
// The report as one HTML page that needs no other file.
#include "report.hpp"

#include "../reporting/html.hpp"
#include "../reporting/plots.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace int8_accuracy {

using namespace reporting;

namespace {

constexpr std::array<const char *, 5> colors {
    "#555555", "#56B4E9", "#E69F00", "#009E73", "#CC79A7"};

/// Ink is bright in the data set and dark on the page.
std::string picture(const dataset &images, int index, const std::string &caption) {
    std::array<std::uint8_t, image_pixels> paper;
    for (int i = 0; i < image_pixels; ++i) paper[i] = std::uint8_t(255 - images.image(index)[i]);
    return reporting::picture(paper.data(), image_side, image_side, 56,
        fmt::format("digit {}", images.labels[index]), caption);
}

const variant_result *find(const report &r, const char *name) {
    for (const variant_result &v : r.variants)
        if (v.how.name == name) return &v;
    return nullptr;
}

std::string cards(const report &r) {
    std::string html = "<div class=\"cards\">\n";
    const variant_result *f32 = find(r, "f32"), *int8 = find(r, "int8 per channel");
    if (f32) html += card(fmt::format("{:.2f} %", 100 * f32->accuracy), "accuracy in f32");
    if (f32 && int8) {
        html +=
            card(fmt::format("{:.2f} %", 100 * int8->accuracy), "accuracy in int8, per channel");
        html +=
            card(fmt::format("{:.2f} %", 100 * int8->agreement), "of the answers agree with f32");
        html += card(fmt::format("{:.2f}x", double(f32->weight_bytes) / double(int8->weight_bytes)),
            "fewer bytes of weights");
    }
    if (!r.levels.empty() && r.levels[0].speeds.size() > 3)
        html += card(fmt::format("{:.2f}x", speed_up(r.levels[0], 3, 1)),
            "images per second against f32: int8 per channel, batch 64");
    return html + "</div>\n";
}

std::string training_section(const report &r) {
    std::vector<double> losses, accuracies;
    for (const epoch_result &e : r.training.epochs) {
        losses.push_back(e.loss);
        accuracies.push_back(100 * e.accuracy);
    }
    return fmt::format(
        "<h2>Training</h2>\n<p class=\"note\">{} images, {:.1f} s, in f32 with the "
        "library's forward and backward primitives; the images are shifted at random."
        "</p>\n<div class=\"pair\">\n{}{}</div>\n",
        r.training_images, r.training.seconds,
        line_plot("loss, mean of -log p(label)", "#D55E00", losses, "epoch"),
        line_plot("accuracy on training images, %", "#0072B2", accuracies, "epoch"));
}

std::string quality_table(const std::vector<variant_result> &variants) {
    std::string html = "<div class=\"scroll\"><table><tr><th></th><th>accuracy %</th>"
                       "<th>agreement %</th>";
    for (const layer_shape &shape : layers()) html += fmt::format("<th>{} dB</th>", shape.name);
    html += "<th>weight bytes</th></tr>\n";
    for (const variant_result &v : variants) {
        html += fmt::format("<tr><td>{}</td><td>{:.2f}</td><td>{:.2f}</td>", escaped(v.how.name),
            100 * v.accuracy, 100 * v.agreement);
        for (double db : v.sqnr)
            html += std::isinf(db) ? "<td>exact</td>" : fmt::format("<td>{:.1f}</td>", db);
        html += fmt::format("<td>{}</td></tr>\n", v.weight_bytes);
    }
    return html + "</table></div>\n";
}

std::string quality_section(const report &r) {
    std::vector<dot> dots;
    for (const auto *list : {&r.variants, &r.int8_variants})
        for (const variant_result &v : *list) dots.push_back({v.how.name, 100 * v.accuracy});
    std::vector<std::string> categories;
    for (const layer_shape &shape : layers()) categories.emplace_back(shape.name);
    std::vector<data_series> series;
    for (std::size_t v = 1; v < r.variants.size(); ++v)
        series.push_back({r.variants[v].how.name, colors[v % colors.size()],
            {r.variants[v].sqnr.begin(), r.variants[v].sqnr.end()}});
    std::string html = "<h2>Accuracy</h2>\n";
    html +=
        "<p class=\"note\">On held-out images; agreement: part of the answers that equal those of "
        "f32.</p>\n";
    if (!r.variants.empty())
        html += dot_plot("accuracy of every variant, %", dots, 100 * r.variants[0].accuracy, .5,
            "on held-out images; line: f32, band: 0.5 points around it");
    html += bar_plot(
        "signal-to-quantisation-noise ratio of each layer's result, dB", categories, series);
    html += quality_table(r.variants) + "<h2>Choices of static int8</h2>\n";
    html += quality_table(r.int8_variants);
    for (const std::string &reason : r.refused)
        html += fmt::format("<p class=\"note\">not available: {}</p>\n", escaped(reason));
    return html;
}

std::string calibration_section(const report &r) {
    const char *titles[layer_count] = {
        "images, normalised", "after conv1", "after conv2", "after ip1"};
    std::string html =
        fmt::format("<h2>Calibration</h2>\n<p class=\"note\">What the layers read, over "
                    "{} training images; counts on a logarithmic scale.</p>\n"
                    "<div class=\"pair\">\n",
            r.calibration_images);
    for (int l = 0; l < layer_count; ++l)
        html += histogram_plot(titles[l], r.measured[l],
            {{"min-max", "#D55E00", r.measured[l].range},
                {"least squares", "#009E73",
                    least_squares_range(r.measured[l], activation_grid::asymmetric)}});
    return html + "</div>\n";
}

/// The long names break at their second word.
std::string two_lines(const level_speed &level) {
    if (!level.on_this_cpu) return level.level + "\nnot on this CPU";
    const std::size_t second = level.level.find('_', level.level.find('_') + 1);
    if (second == std::string::npos) return level.level;
    return level.level.substr(0, second) + "\n" + level.level.substr(second + 1);
}

std::string speed_plot(const report &r, std::size_t batch) {
    std::vector<std::string> categories;
    std::vector<data_series> series;
    for (const variant &v : main_variants())
        series.push_back({v.name, colors[series.size() % colors.size()], {}});
    for (const level_speed &level : r.levels) {
        categories.push_back(two_lines(level));
        for (std::size_t v = 0; v < series.size(); ++v)
            series[v].values.push_back(
                level.speeds.empty() ? 0 : level.speeds[v].images_per_second[batch]);
    }
    return bar_plot(
        fmt::format("images per second, batch {}", speed_batches[batch]), categories, series);
}

std::string speed_section(const report &r) {
    if (r.levels.empty()) return {};
    std::string html = fmt::format(
        "<h2>Speed</h2>\n<p class=\"note\">From f32 pixels to "
        "probabilities, {} thread(s), one process "
        "per cap (ONEDNN_MAX_CPU_ISA), fastest of nine rounds; x: multiples of f32 under the "
        "same cap. Logits of static int8 "
        "bit-equal under every cap: {}.</p>\n",
        r.threads, int8_bits_equal(r) ? "yes" : "NO");
    for (std::size_t b = speed_batches.size(); b-- > 0;) html += speed_plot(r, b);
    html +=
        "<div class=\"scroll\"><table><tr><th>cap</th><th>variant</th><th>batch 1</th><th>x</th>"
        "<th>batch 64</th><th>x</th></tr>\n";
    for (const level_speed &level : r.levels) {
        if (level.speeds.empty())
            html += fmt::format("<tr><td>{}</td><td colspan=\"5\">{}</td></tr>\n", level.level,
                level.failure.empty() ? "this CPU does not have it" : escaped(level.failure));
        for (std::size_t v = 0; v < level.speeds.size(); ++v) {
            html += fmt::format("<tr><td>{}</td><td>{}</td>", v == 0 ? level.level : "",
                escaped(level.speeds[v].name));
            for (std::size_t b = 0; b < speed_batches.size(); ++b)
                html += fmt::format("<td>{:.0f}</td><td>{:.2f}</td>",
                    level.speeds[v].images_per_second[b], speed_up(level, v, b));
            html += "</tr>\n";
        }
    }
    return html + "</table></div>\n";
}

std::string pictures_section(const report &r) {
    std::string html =
        "<h2>Held-out digits</h2>\n<p class=\"note\">The first ones, then those where "
        "int8 per channel and f32 differ or both are wrong.</p>\n<div>\n";
    for (int i = 0; i < std::min(14, r.held_out.count()); ++i)
        html += picture(r.held_out, i, fmt::format("{}", r.held_out.labels[i]));
    html += "</div><div>\n";
    const variant_result *f32 = find(r, "f32"), *int8 = find(r, "int8 per channel");
    int shown = 0;
    for (int i = 0; f32 && int8 && i < r.held_out.count() && shown < 32; ++i) {
        const int label = r.held_out.labels[i];
        if (f32->classes[i] == label && int8->classes[i] == label) continue;
        html += picture(r.held_out, i,
            fmt::format("{}: f32 {}, int8 {}", label, f32->classes[i], int8->classes[i]));
        ++shown;
    }
    return html + "</div>\n";
}

} // namespace

void write_html(const report &r, const std::filesystem::path &path) {
    const std::string note = fmt::format("{}; {} to train, {} held out. {}, {}, {} thread(s).",
        r.origin, r.training_images, r.held_out_images, r.library, r.cpu, r.threads);
    write_text(page("int8 accuracy", "int8 against f32 on handwritten digits", note,
                   cards(r) + quality_section(r) + calibration_section(r) + speed_section(r) +
                       training_section(r) + pictures_section(r)),
        path);
}

} // namespace int8_accuracy
