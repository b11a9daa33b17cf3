// SPDX-License-Identifier: Apache-2.0
// The report as one HTML page that needs no other file.
#include "plots.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

constexpr std::array<const char *, 5> colors {
    "#555555", "#56B4E9", "#E69F00", "#009E73", "#CC79A7"};

constexpr const char *style = R"(
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #22272e; background: #fff; margin: 2rem auto;
       max-width: 980px; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
p.note { color: #57606a; margin-top: .2rem; }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.2rem 0; }
.card { flex: 1 1 9rem; border: 1px solid #d8dde3; border-radius: 8px; padding: .6rem .9rem; }
.card b { display: block; font-size: 1.4rem; } .card span { color: #57606a; font-size: .85rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(400px, 1fr)); gap: 1rem; }
svg { width: 100%; height: auto; font-family: system-ui, sans-serif; }
svg .t { font-size: 14px; font-weight: 600; fill: #22272e; } svg .a { font-size: 12px; fill: #57606a; }
svg .v { font-size: 10px; fill: #57606a; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .86rem; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid #e6eaee; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
figure { display: inline-block; margin: .2rem .4rem .2rem 0; text-align: center; font-size: .75rem; }
img { image-rendering: pixelated; width: 56px; height: 56px; display: block; }
)";

void append_number(std::string &bytes, std::uint32_t value, int length) {
    for (int i = 0; i < length; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

/// A grey picture as an 8-bit BMP file: two headers, 256 greys, rows from the bottom to the top.
std::string bitmap(const std::uint8_t *image) {
    constexpr std::uint32_t pixels_at = 14 + 40 + 256 * 4;
    std::string file = "BM";
    append_number(file, pixels_at + image_pixels, 4);
    append_number(file, 0, 4);
    append_number(file, pixels_at, 4);
    append_number(file, 40, 4);
    append_number(file, image_side, 4);
    append_number(file, image_side, 4);
    append_number(file, 1, 2);
    append_number(file, 8, 2);
    for (int i = 0; i < 6; ++i) append_number(file, i == 1 ? image_pixels : 0, 4);
    for (std::uint32_t grey = 0; grey < 256; ++grey)
        append_number(file, (255 - grey) * 0x010101, 4);
    for (int y = image_side - 1; y >= 0; --y)
        file.append(reinterpret_cast<const char *>(image) + y * image_side, image_side);
    return file;
}

std::string base64(const std::string &bytes) {
    constexpr const char *letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? std::uint8_t(bytes[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= bytes.size() ? letters[group >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

std::string picture(const dataset &images, int index, const std::string &caption) {
    return fmt::format(
        "<figure><img alt=\"digit {}\" src=\"data:image/bmp;base64,{}\">{}</figure>\n",
        images.labels[index], base64(bitmap(images.image(index))), escaped(caption));
}

std::string card(const std::string &value, const std::string &meaning) {
    return fmt::format(
        "<div class=\"card\"><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(meaning));
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
        line_plot("loss, mean of -log p(label)", "#D55E00", losses),
        line_plot("accuracy on training images, %", "#0072B2", accuracies));
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
        html += dot_plot("accuracy of every variant, %", dots, 100 * r.variants[0].accuracy, .5);
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
    const std::string head =
        fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<title>int8 accuracy</title>\n<style>{}</style></head>\n<body>\n"
                    "<h1>int8 against f32 on handwritten digits</h1>\n"
                    "<p class=\"note\">{}; {} to train, {} held out. {}, {}, {} thread(s).</p>\n",
            style, escaped(r.origin), r.training_images, r.held_out_images, escaped(r.library),
            escaped(r.cpu), r.threads);
    write_text(head + cards(r) + quality_section(r) + calibration_section(r) + speed_section(r) +
                   training_section(r) + pictures_section(r) + "</body></html>\n",
        path);
}

} // namespace int8_accuracy
