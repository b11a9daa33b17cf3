// SPDX-License-Identifier: Apache-2.0
// Plots as inline SVG text. All texts are escaped here.
#pragma once

#include "../calibration/quantization.hpp"

#include <array>
#include <string>
#include <vector>

namespace reporting {

struct data_series {
    std::string name, color;
    std::vector<double> values; // one per category; not above 0: nothing is drawn
};

/// A value and, where the two differ, the ends of its interval.
struct dot {
    std::string name;
    double value, low = 0, high = 0;
};

/// Points from left to right, x and y in [0, 1].
struct curve {
    std::string name, color;
    std::vector<std::array<double, 2>> points;
};

struct marked_range {
    std::string name, color;
    calibration::value_range range;
};

/// Groups of vertical bars from zero; the value stands above each bar. A newline in
/// the name of a category starts its second line.
std::string bar_plot(const std::string &title, const std::vector<std::string> &categories,
    const std::vector<data_series> &series);

/// Values 1 ... n, not below 0; `below` says what they are counted by.
std::string line_plot(const std::string &title, const std::string &color,
    const std::vector<double> &values, const std::string &below);

/// One row per dot on a stretched scale; a line at `reference` and a band of +-`tolerance` around
/// it. `note` says below what the line and the band are. Values are percent, at most 100;
/// one that is more than eight tolerances below the reference stands at the left edge, in red.
std::string dot_plot(const std::string &title, const std::vector<dot> &dots, double reference,
    double tolerance, const std::string &note);

/// Curves in a square, with a text at each axis.
std::string curve_plot(const std::string &title, const std::vector<curve> &curves,
    const std::string &below, const std::string &left);

/// Counts on a logarithmic scale, with ranges marked below.
std::string histogram_plot(const std::string &title, const calibration::histogram &values,
    const std::vector<marked_range> &ranges);

} // namespace reporting
