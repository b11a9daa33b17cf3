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

/// Groups of vertical bars from zero; the value stands above each bar that is wide enough. A
/// newline in the name of a category starts its second line; names that do not fit are written on a
/// slope.
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

/// Several series over 1 ... n, from zero, with a legend.
std::string lines_plot(
    const std::string &title, const std::vector<data_series> &series, const std::string &below);

/// Dots on lines over named categories, from zero to the largest value that is finite; others are
/// left out.
std::string profile_plot(const std::string &title, const std::vector<std::string> &categories,
    const std::vector<data_series> &series);

struct interval_series {
    std::string name, color;
    std::vector<dot> dots; // one per row; their names are not used
};

/// One row per name with a dot and its interval for each series. A line at `reference` and a band
/// over its interval. Values beyond `worst`, which is below or above the reference, stand at that
/// edge, with their number beside them.
std::string interval_plot(const std::string &title, const std::vector<std::string> &rows,
    const std::vector<interval_series> &series, const dot &reference, double worst, int decimals,
    const std::string &note);

struct scatter_point {
    std::string name, color;
    double x = 0;
    dot y;                 // its name is not used
    bool frontier = false; // no other point is better in both
};

/// Points with vertical intervals and labels beside them that do not cover each other; the frontier
/// is a stair. More x is better; `upwards`: so is more y, otherwise less y is, and the axis is
/// turned around, so that better is always up. Values worse than `worst` stand at the lower edge.
/// Labels that find no place are left out: the pointer shows them.
std::string scatter_plot(const std::string &title, const std::vector<scatter_point> &points,
    bool upwards, double worst, int decimals, const std::string &below, const std::string &left);

/// Curves in a square, with a text at each axis.
std::string curve_plot(const std::string &title, const std::vector<curve> &curves,
    const std::string &below, const std::string &left);

/// Counts on a logarithmic scale, with ranges marked below.
std::string histogram_plot(const std::string &title, const calibration::histogram &values,
    const std::vector<marked_range> &ranges);

} // namespace reporting
