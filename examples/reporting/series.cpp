// SPDX-License-Identifier: Apache-2.0
// Lines over epochs and layers, and rows of values with their intervals.
#include "plots.hpp"

#include "canvas.hpp"

namespace reporting {
namespace {

/// A line through the finite values, interrupted where there is none.
void draw_line(canvas &c, const vertical_axis &axis, double left, double step, const data_series &s,
    double radius) {
    std::string points;
    bool pen_down = false;
    for (std::size_t i = 0; i < s.values.size(); ++i) {
        const double value = s.values[i];
        if (!std::isfinite(value)) {
            pen_down = false;
            continue;
        }
        const double x = left + double(i) * step, y = axis.y(std::max(0., value));
        points += fmt::format("{}{:.1f},{:.1f} ", pen_down ? "L" : "M", x, y);
        c.circle(x, y, radius, s.color, fmt::format("{}: {}", s.name, short_number(value)));
        pen_down = true;
    }
    if (!points.empty()) c.path(points, s.color, "none");
}

} // namespace

std::string lines_plot(
    const std::string &title, const std::vector<data_series> &series, const std::string &below) {
    constexpr double width = 560, left = 50, right = 545;
    const std::vector<legend_entry> legend = legend_of(series);
    const double top = 31 + 17 * legend_lines(left, right, legend), bottom = top + 190;
    canvas c(title, width, bottom + 42);
    draw_legend(c, left, right, 34, legend);
    const vertical_axis axis {top, bottom, 1.05 * end_of_axis(series)};
    axis.draw(c, left, right);
    std::size_t count = 1;
    for (const data_series &s : series) count = std::max(count, s.values.size());
    const double step = (right - left - 10) / double(std::max<std::size_t>(1, count - 1));
    const std::size_t every = (count + 11) / 12;
    for (std::size_t i = 0; i < count; i += every)
        c.text(left + double(i) * step, bottom + 16, "middle", std::to_string(i + 1), "a");
    for (const data_series &s : series) draw_line(c, axis, left, step, s, 2.5);
    c.text((left + right) / 2, bottom + 34, "middle", below, "a");
    return c.finish();
}

std::string profile_plot(const std::string &title, const std::vector<std::string> &categories,
    const std::vector<data_series> &series) {
    constexpr double width = 960, left = 76, right = 950;
    const std::vector<legend_entry> legend = legend_of(series);
    const double longest = longest_line(categories);
    const double step = (right - left) / std::max(1., double(categories.size()));
    const bool sloped = longest > step - 4;
    const double top = 31 + 17 * legend_lines(left, right, legend), bottom = top + 214;
    canvas c(title, width, bottom + (sloped ? 24 + .65 * longest : 28));
    draw_legend(c, left, right, 34, legend);
    const vertical_axis axis {top, bottom, 1.05 * end_of_axis(series)};
    axis.draw(c, left, right);
    for (std::size_t k = 0; k < categories.size(); ++k)
        draw_category(c, left + (double(k) + .5) * step, bottom + 17, categories[k], sloped);
    for (const data_series &s : series) draw_line(c, axis, left + step / 2, step, s, 3.5);
    return c.finish();
}

namespace {

/// A stretched scale from left to right; what lies beyond its ends stands at them.
struct horizontal_axis {
    double left, right, low, high;

    double x(double value) const {
        return left + (right - left) * (std::clamp(value, low, high) - low) / (high - low);
    }
    bool holds(double value) const { return value >= low && value <= high; }

    void draw(canvas &c, double top, double bottom, int decimals) const {
        const double step = std::max(round_step(high - low, 6), std::pow(10, -decimals));
        for (double tick = std::ceil(low / step) * step; tick <= high; tick += step) {
            c.line(x(tick), top, x(tick), bottom, grid_color);
            c.text(x(tick), bottom + 15, "middle", fmt::format("{:.{}f}", tick, decimals), "a");
        }
    }
};

/// From the smallest to the largest end of an interval, but not beyond `worst`.
horizontal_axis axis_of(double left, double right, const std::vector<interval_series> &series,
    const dot &reference, double worst) {
    double low = reference.low, high = reference.high;
    for (const interval_series &s : series)
        for (const dot &d : s.dots)
            if (std::isfinite(d.value) && std::isfinite(d.low) && std::isfinite(d.high)) {
                low = std::min({low, d.value, d.low});
                high = std::max({high, d.value, d.high});
            }
    if (worst < reference.value)
        low = std::max(low, worst);
    else
        high = std::min(high, worst);
    const double room = std::max(1e-6, .04 * (high - low));
    return {left, right, low - room, high + room};
}

void draw_dot(canvas &c, const horizontal_axis &axis, double y, const dot &d,
    const std::string &color, int decimals) {
    if (!std::isfinite(d.value)) return;
    const std::string number = fmt::format("{:.{}f}", d.value, decimals);
    const double x = axis.x(d.value);
    c.circle(x, y, 4.5, color, number);
    if (axis.holds(d.value)) {
        if (d.low < d.high) c.line(axis.x(d.low), y, axis.x(d.high), y, color, 2);
        return;
    }
    const bool at_left = d.value < axis.low;
    c.text(x + (at_left ? 9 : -9), y + 4, at_left ? "start" : "end",
        at_left ? "\u2190 " + number : number + " \u2192", "a");
}

} // namespace

std::string interval_plot(const std::string &title, const std::vector<std::string> &rows,
    const std::vector<interval_series> &series, const dot &reference, double worst, int decimals,
    const std::string &note) {
    double longest = 0;
    for (const std::string &name : rows) longest = std::max(longest, text_width(name));
    const double width = 560, left = std::min(250., longest + 14), right = 545;
    const double part = series.size() > 1 ? 12 : 18, row = part * double(series.size()) + 4;
    std::vector<legend_entry> legend;
    if (series.size() > 1)
        for (const interval_series &s : series) legend.push_back({s.name, s.color});
    const double top = 28 + (legend.empty() ? 0 : 17 * legend_lines(0, right, legend));
    const double bottom = top + row * double(rows.size()) + 4;
    canvas c(title, width, bottom + 42);
    draw_legend(c, 0, right, 34, legend);
    const horizontal_axis axis = axis_of(left, right, series, reference, worst);
    axis.draw(c, top, bottom, decimals);
    c.rectangle(axis.x(reference.low), top, axis.x(reference.high) - axis.x(reference.low),
        bottom - top, "#009E73", .14);
    c.line(axis.x(reference.value), top, axis.x(reference.value), bottom, axis_color, 1.5);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double y = top + row * double(i) + 2 + part / 2;
        c.text(left - 10, top + row * (double(i) + .5) + 5, "end", rows[i], "a");
        for (const interval_series &s : series) {
            if (i < s.dots.size()) draw_dot(c, axis, y, s.dots[i], s.color, decimals);
            y += part;
        }
    }
    c.text(width / 2, bottom + 34, "middle", note, "a");
    return c.finish();
}

} // namespace reporting
