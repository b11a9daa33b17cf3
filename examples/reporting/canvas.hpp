// SPDX-License-Identifier: Apache-2.0
// What all plots are drawn with: SVG elements, round steps of axes, short numbers.
#pragma once

#include "html.hpp"
#include "plots.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace reporting {

/// Round step so that at most `most` of them cover `span`.
inline double round_step(double span, int most) {
    const double raw = std::max(span, 1e-12) / most;
    const double magnitude = std::pow(10, std::floor(std::log10(raw)));
    for (double factor : {1., 2., 2.5, 5., 10.})
        if (factor * magnitude >= raw) return factor * magnitude;
    return 10 * magnitude;
}

inline std::string short_number(double value) {
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
    void line(double x0, double y0, double x1, double y1, const std::string &color,
        double stroke = 1, double opacity = 1) {
        body_ += fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" )"
                             R"(stroke-width="{}" stroke-opacity="{}"/>)"
                             "\n",
            x0, y0, x1, y1, color, stroke, opacity);
    }
    /// `hint`, if any, appears when the pointer rests on the circle.
    void circle(
        double x, double y, double r, const std::string &color, const std::string &hint = "") {
        body_ += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}">{}</circle>)"
                             "\n",
            x, y, r, color, hint.empty() ? "" : "<title>" + escaped(hint) + "</title>");
    }
    void path(const std::string &points, const std::string &stroke, const std::string &fill,
        const std::string &dashes = "none") {
        body_ += fmt::format(R"(<path d="{}" stroke="{}" fill="{}" stroke-width="2" )"
                             R"(stroke-dasharray="{}"/>)"
                             "\n",
            points, stroke, fill, dashes);
    }
    /// Ends at (x, y) and rises towards it.
    void sloped_text(double x, double y, const std::string &words, const char *css) {
        body_ += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-40)\" "
                             "text-anchor=\"end\" class=\"{}\">{}</text>\n",
            x, y, css, escaped(words));
    }

    /// What the plot shows, for those who do not see it; otherwise its title says it.
    void describe(const std::string &words) { description_ = words; }

    /// Plots of more than 600 pixels scroll by themselves where the page is narrow.
    std::string finish() const {
        const bool wide = width_ > 600;
        const std::string label = escaped(description_.empty() ? title_ : description_);
        const std::string box = fmt::format(
            R"(<div class="scroll" tabindex="0" role="group" aria-label="{}">)", escaped(title_));
        return fmt::format(R"({}<svg viewBox="0 0 {} {}" role="img" aria-label="{}">)"
                           "\n{}</svg>{}\n",
            wide ? box : "", width_, height_, label, body_, wide ? "</div>" : "");
    }

  private:
    double width_, height_;
    std::string title_, description_, body_;
};

/// Colours that follow the page, light or dark.
constexpr const char *grid_color = "var(--grid)";
constexpr const char *axis_color = "var(--muted)";

/// An estimate for the letters of axes, in pixels.
inline double text_width(const std::string &words) { return 6.5 * double(words.size()); }

/// The longest line of any of the texts, in pixels.
inline double longest_line(const std::vector<std::string> &texts) {
    double longest = 0;
    for (const std::string &text : texts) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        longest = std::max({longest, text_width(text.substr(0, end)),
            text_width(text.substr(std::min(end + 1, text.size())))});
    }
    return longest;
}

/// The name of a category below (x, y); a newline starts its second line. Sloped names have one.
inline void draw_category(canvas &c, double x, double y, const std::string &words, bool sloped) {
    const std::size_t end = words.find('\n');
    if (sloped) {
        std::string line = words;
        std::replace(line.begin(), line.end(), '\n', ' ');
        c.sloped_text(x + 4, y - 5, line, "a");
        return;
    }
    c.text(x, y, "middle", words.substr(0, end), "a");
    if (end != std::string::npos) c.text(x, y + 15, "middle", words.substr(end + 1), "a");
}

struct legend_entry {
    std::string name, color;
};

/// How many lines of a legend the entries need between `left` and `right`.
inline int legend_lines(double left, double right, const std::vector<legend_entry> &entries) {
    int lines = 1;
    double x = left;
    for (const legend_entry &e : entries) {
        const double width = 40 + text_width(e.name);
        if (x > left && x + width > right) {
            x = left;
            ++lines;
        }
        x += width;
    }
    return lines;
}

/// From `left` on, the first line at `y`, further ones 17 pixels below.
inline void draw_legend(
    canvas &c, double left, double right, double y, const std::vector<legend_entry> &entries) {
    double x = left;
    for (const legend_entry &e : entries) {
        const double width = 40 + text_width(e.name);
        if (x > left && x + width > right) {
            x = left;
            y += 17;
        }
        c.rectangle(x, y - 9, 11, 11, e.color);
        c.text(x + 15, y, "start", e.name, "a");
        x += width;
    }
}

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

inline std::vector<legend_entry> legend_of(const std::vector<data_series> &series) {
    std::vector<legend_entry> entries;
    for (const data_series &s : series) entries.push_back({s.name, s.color});
    return entries;
}

/// Returns the largest finite value, or 0 where all are below.
inline double largest(const std::vector<data_series> &series) {
    double highest = 0;
    for (const data_series &s : series)
        for (double value : s.values)
            if (std::isfinite(value)) highest = std::max(highest, value);
    return highest;
}

/// The same as the end of an axis that begins at 0.
inline double end_of_axis(const std::vector<data_series> &series) {
    const double highest = largest(series);
    return highest > 0 ? highest : 1;
}

} // namespace reporting
