// SPDX-License-Identifier: Apache-2.0
// Bars, lines, dots and histograms as SVG.
#include "plots.hpp"

#include "html.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace reporting {

namespace {

/// Round step so that at most `most` of them cover `span`.
double round_step(double span, int most) {
    const double raw = std::max(span, 1e-12) / most;
    const double magnitude = std::pow(10, std::floor(std::log10(raw)));
    for (double factor : {1., 2., 2.5, 5., 10.})
        if (factor * magnitude >= raw) return factor * magnitude;
    return 10 * magnitude;
}

std::string short_number(double value) {
    if (value >= 99950) return fmt::format("{:.0f}k", value / 1000);
    if (value >= 995) return fmt::format("{:.1f}k", value / 1000);
    return fmt::format("{:.3g}", value);
}

/// Collects SVG elements inside margins; x and y are pixels, y down.
class canvas {
  public:
    canvas(const std::string &title, double width, double height) : width_(width), height_(height) {
        text(0, 14, "start", title, "t");
        title_ = title;
    }

    void text(
        double x, double y, const char *anchor, const std::string &words, const char *css = "") {
        body_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" class="{}">{}</text>)"
                             "\n",
            x, y, anchor, css, escaped(words));
    }
    /// Reads upwards from (x, y).
    void upward_text(double x, double y, const std::string &words, const char *css) {
        body_ += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" "
                             "class=\"{}\">{}</text>\n",
            x, y, css, escaped(words));
    }
    void rectangle(
        double x, double y, double w, double h, const std::string &color, double opacity = 1) {
        body_ +=
            fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" )"
                        R"(fill-opacity="{}"/>)"
                        "\n",
                x, y, w, h, color, opacity);
    }
    void line(
        double x0, double y0, double x1, double y1, const std::string &color, double stroke = 1) {
        body_ += fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" )"
                             R"(stroke-width="{}"/>)"
                             "\n",
            x0, y0, x1, y1, color, stroke);
    }
    void circle(double x, double y, double r, const std::string &color) {
        body_ += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}"/>)"
                             "\n",
            x, y, r, color);
    }
    void path(const std::string &points, const std::string &stroke, const std::string &fill) {
        body_ += fmt::format(R"(<path d="{}" stroke="{}" fill="{}" stroke-width="2"/>)"
                             "\n",
            points, stroke, fill);
    }
    /// Wide plots scroll by themselves where the page is narrow.
    std::string finish() const {
        const bool wide = width_ > 600;
        return fmt::format(R"({}<svg viewBox="0 0 {} {}" role="img" aria-label="{}">)"
                           "\n{}</svg>{}\n",
            wide ? "<div class=\"scroll\">" : "", width_, height_, escaped(title_), body_,
            wide ? "</div>" : "");
    }

  private:
    double width_, height_;
    std::string title_, body_;
};

constexpr const char *grid_color = "#d8dde3";

struct vertical_axis {
    double top, bottom, highest; // pixels of `highest` and of 0

    double y(double value) const { return bottom - (bottom - top) * value / highest; }

    void draw(canvas &c, double left, double right) const {
        const double step = round_step(highest, 6);
        for (double value = 0; value <= highest * 1.001; value += step) {
            c.line(left, y(value), right, y(value), grid_color);
            c.text(left - 6, y(value) + 4, "end", short_number(value), "a");
        }
    }
};

void draw_legend(canvas &c, double x, double y, const std::vector<data_series> &series) {
    for (const data_series &s : series) {
        c.rectangle(x, y - 9, 11, 11, s.color);
        c.text(x + 15, y, "start", s.name, "a");
        x += 40 + 6.6 * double(s.name.size());
    }
}

/// A newline in the text starts the second line.
void draw_two_lines(canvas &c, double x, double y, const std::string &words) {
    const std::size_t end = words.find('\n');
    c.text(x, y, "middle", words.substr(0, end), "a");
    if (end != std::string::npos) c.text(x, y + 15, "middle", words.substr(end + 1), "a");
}

double largest(const std::vector<data_series> &series) {
    double highest = 0;
    for (const data_series &s : series)
        for (double value : s.values)
            if (std::isfinite(value)) highest = std::max(highest, value);
    return highest;
}

void draw_bar(canvas &c, const vertical_axis &axis, double x, double width, double value,
    const std::string &color, bool narrow) {
    if (!(value > 0) || !std::isfinite(value)) return;
    const double y = axis.y(value);
    c.rectangle(x, y, width - 2, axis.bottom - y, color);
    if (narrow)
        c.upward_text(x + width / 2 + 2.5, y - 4, short_number(value), "v");
    else
        c.text(x + width / 2 - 1, y - 3, "middle", short_number(value), "v");
}

} // namespace

std::string bar_plot(const std::string &title, const std::vector<std::string> &categories,
    const std::vector<data_series> &series) {
    constexpr double width = 960, height = 304, left = 56, right = 950;
    canvas c(title, width, height);
    const double group = (right - left) / double(categories.size());
    const double bar = std::min(44., .84 * group / double(series.size()));
    const bool narrow = bar < 30; // the value does not fit above its bar
    const double highest = largest(series);
    const vertical_axis axis {48, 262, highest > 0 ? (narrow ? 1.2 : 1.08) * highest : 1};
    axis.draw(c, left, right);
    draw_legend(c, left, 34, series);
    for (std::size_t k = 0; k < categories.size(); ++k) {
        const double middle = left + (double(k) + .5) * group;
        double x = middle - bar * double(series.size()) / 2;
        for (const data_series &s : series) {
            draw_bar(c, axis, x, bar, s.values[k], s.color, narrow);
            x += bar;
        }
        draw_two_lines(c, middle, axis.bottom + 17, categories[k]);
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
    c.line(x(reference), top, x(reference), bottom, "#555555", 1.5);
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
    c.line(left, bottom, right, bottom, "#555555");
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
