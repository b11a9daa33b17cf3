// SPDX-License-Identifier: Apache-2.0
// Bars, lines, dots and histograms as SVG.
#include "plots.hpp"

#include "canvas.hpp"

namespace reporting {

namespace {

void draw_bar(canvas &c, const vertical_axis &axis, double x, double width, double value,
    const std::string &color) {
    if (!(value > 0) || !std::isfinite(value)) return;
    const double y = axis.y(value);
    c.rectangle(x, y, width > 6 ? width - 2 : width - .5, axis.bottom - y, color);
    if (width < 9) return;
    if (width < 30) // the value does not fit above its bar
        c.upward_text(x + width / 2 + 2.5, y - 4, short_number(value), "v");
    else
        c.text(x + width / 2 - 1, y - 3, "middle", short_number(value), "v");
}

} // namespace

std::string bar_plot(const std::string &title, const std::vector<std::string> &categories,
    const std::vector<data_series> &series) {
    constexpr double width = 960, left = 56, right = 950;
    const double group = (right - left) / std::max(1., double(categories.size()));
    const double longest = longest_line(categories);
    const bool sloped = longest > group - 4;
    const std::vector<legend_entry> legend = legend_of(series);
    const double top = 31 + 17 * legend_lines(left, right, legend), bottom = top + 214;
    canvas c(title, width, bottom + (sloped ? 24 + .65 * longest : 42));
    const double bar = std::min(44., .84 * group / std::max(1., double(series.size())));
    const double highest = largest(series);
    const vertical_axis axis {top, bottom, highest > 0 ? (bar < 30 ? 1.2 : 1.08) * highest : 1};
    axis.draw(c, left, right);
    draw_legend(c, left, right, 34, legend);
    for (std::size_t k = 0; k < categories.size(); ++k) {
        const double middle = left + (double(k) + .5) * group;
        double x = middle - bar * double(series.size()) / 2;
        for (const data_series &s : series) {
            draw_bar(c, axis, x, bar, s.values[k], s.color);
            x += bar;
        }
        draw_category(c, middle, axis.bottom + 17, categories[k], sloped);
    }
    return c.finish();
}

std::string line_plot(const std::string &title, const std::string &color,
    const std::vector<double> &values, const std::string &below) {
    constexpr double width = 470, height = 240, left = 50, right = 455;
    canvas c(title, width, height);
    const double highest = *std::max_element(values.begin(), values.end());
    const vertical_axis axis {36, 204, highest > 0 ? 1.05 * highest : 1};
    axis.draw(c, left, right);
    const double step = (right - left) / double(std::max<std::size_t>(1, values.size() - 1));
    const std::size_t every = values.size() / 12 + 1;
    std::string points;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = left + double(i) * step, y = axis.y(values[i]);
        points += fmt::format("{}{:.1f},{:.1f} ", i == 0 ? "M" : "L", x, y);
        c.circle(x, y, 3, color);
        if (i % every == 0) c.text(x, axis.bottom + 16, "middle", std::to_string(i + 1), "a");
    }
    c.path(points, color, "none");
    c.text((left + right) / 2, axis.bottom + 32, "middle", below, "a");
    return c.finish();
}

std::string dot_plot(const std::string &title, const std::vector<dot> &dots, double reference,
    double tolerance, const std::string &note) {
    constexpr double width = 960, left = 300, right = 890, row = 22, top = 34;
    const double bottom = top + row * double(dots.size()) + 6;
    canvas c(title, width, bottom + 40);
    double low = reference - 1.4 * tolerance, high = reference + 1.4 * tolerance;
    for (const dot &d : dots) {
        const bool interval = d.low < d.high;
        low = std::min(low, (interval ? d.low : d.value) - .2 * tolerance);
        high = std::max(high, (interval ? d.high : d.value) + .2 * tolerance);
    }
    high = std::min(high, 100 + .2 * tolerance);
    low = std::max(low, reference - 8 * tolerance);
    const double band_low = reference - tolerance,
                 band_high = std::min(high, reference + tolerance);
    const auto x = [&](double value) {
        return left + (right - left) * (value - low) / (high - low);
    };
    c.rectangle(x(band_low), top, x(band_high) - x(band_low), bottom - top, "#009E73", .12);
    const double step = round_step(high - low, 8);
    for (double tick = std::ceil(low / step) * step; tick <= std::min(high, 100.); tick += step) {
        c.line(x(tick), top, x(tick), bottom, grid_color);
        c.text(x(tick), bottom + 15, "middle", fmt::format("{:.2f}", tick), "a");
    }
    c.line(x(reference), top, x(reference), bottom, axis_color, 1.5);
    for (std::size_t i = 0; i < dots.size(); ++i) {
        const double y = top + row * (double(i) + .5) + 3;
        const bool outside = dots[i].value < low; // stands at the edge
        const char *color = outside ? "#D55E00" : "#0072B2";
        c.text(left - 12, y + 4, "end", dots[i].name, "a");
        if (dots[i].low < dots[i].high && !outside)
            c.line(x(std::max(low, dots[i].low)), y, x(dots[i].high), y, color, 2);
        c.circle(x(std::max(low, dots[i].value)), y, 5, color);
        c.text(right + 12, y + 4, "start", fmt::format("{:.2f}", dots[i].value), "a");
    }
    c.text((left + right) / 2, bottom + 32, "middle", note, "a");
    return c.finish();
}

std::string curve_plot(const std::string &title, const std::vector<curve> &curves,
    const std::string &below, const std::string &left_text) {
    constexpr double width = 470, height = 420, left = 60, right = 455, top = 36, bottom = 366;
    canvas c(title, width, height);
    const auto x = [](double value) { return left + (right - left) * value; };
    const auto y = [](double value) { return bottom - (bottom - top) * value; };
    for (int tick = 0; tick <= 5; ++tick) {
        const double value = tick / 5.;
        c.line(x(value), top, x(value), bottom, grid_color);
        c.line(left, y(value), right, y(value), grid_color);
        c.text(x(value), bottom + 16, "middle", fmt::format("{:.1f}", value), "a");
        c.text(left - 6, y(value) + 4, "end", fmt::format("{:.1f}", value), "a");
    }
    double legend = bottom - 12 - 18 * double(curves.size());
    for (const curve &each : curves) {
        std::string points;
        for (const auto &[px, py] : each.points)
            points += fmt::format("{}{:.1f},{:.1f} ", points.empty() ? "M" : "L", x(px), y(py));
        c.path(points, each.color, "none");
        c.rectangle(right - 150, legend - 9, 11, 11, each.color);
        c.text(right - 134, legend, "start", each.name, "a");
        legend += 18;
    }
    c.text((left + right) / 2, bottom + 34, "middle", below, "a");
    c.upward_text(16, (top + bottom) / 2 + 60, left_text, "a");
    return c.finish();
}

std::string histogram_plot(const std::string &title, const calibration::histogram &values,
    const std::vector<marked_range> &ranges) {
    constexpr double width = 470, left = 12, right = 458, top = 30, bottom = 150;
    canvas c(title, width, bottom + 30 + 18 * double(ranges.size()));
    constexpr std::size_t columns = 128;
    std::vector<double> counts(columns, 0.);
    for (std::size_t bin = 0; bin < values.counts.size(); ++bin)
        counts[bin * columns / values.counts.size()] += values.counts[bin];
    const double highest = std::log1p(*std::max_element(counts.begin(), counts.end()));
    const double column = (right - left) / columns;
    for (std::size_t i = 0; i < columns; ++i) {
        const double h = highest > 0 ? (bottom - top) * std::log1p(counts[i]) / highest : 0;
        c.rectangle(left + double(i) * column, bottom - h, column * .9, h, "#8fa3b8");
    }
    c.line(left, bottom, right, bottom, axis_color);
    const double span = std::max(1e-12f, values.range.high - values.range.low);
    const auto x = [&](double v) { return left + (right - left) * (v - values.range.low) / span; };
    double y = bottom + 20;
    for (const marked_range &r : ranges) {
        c.line(x(r.range.low), y - 4, x(r.range.high), y - 4, r.color, 4);
        c.line(x(r.range.low), top, x(r.range.low), y, r.color);
        c.line(x(r.range.high), top, x(r.range.high), y, r.color);
        y += 18;
    }
    double label = left;
    for (const marked_range &r : ranges) {
        const std::string words =
            fmt::format("{} {:.2f} ... {:.2f}", r.name, r.range.low, r.range.high);
        c.rectangle(label, y - 9, 11, 11, r.color);
        c.text(label + 15, y, "start", words, "a");
        label += 45 + 6.3 * double(words.size());
    }
    return c.finish();
}

} // namespace reporting
