// SPDX-License-Identifier: Apache-2.0
// Plots as inline SVG text. All texts are escaped here.
#pragma once

#include "quantization.hpp"

#include <string>
#include <vector>

namespace int8_accuracy {

struct data_series {
    std::string name, color;
    std::vector<double> values; // one per category; not above 0: nothing is drawn
};

struct dot {
    std::string name;
    double value;
};

struct marked_range {
    std::string name, color;
    value_range range;
};

std::string escaped(const std::string &text);

/// Groups of vertical bars from zero; the value stands above each bar. A newline in
/// the name of a category starts its second line.
std::string bar_plot(const std::string &title, const std::vector<std::string> &categories,
    const std::vector<data_series> &series);

/// One value per epoch 1 ... n.
std::string line_plot(
    const std::string &title, const std::string &color, const std::vector<double> &values);

/// One row per dot on a stretched scale; a line at `reference` and a band of +-`tolerance` around
/// it.
std::string dot_plot(
    const std::string &title, const std::vector<dot> &dots, double reference, double tolerance);

/// Counts on a logarithmic scale, with ranges marked below.
std::string histogram_plot(
    const std::string &title, const histogram &values, const std::vector<marked_range> &ranges);

} // namespace int8_accuracy
