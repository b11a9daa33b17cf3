// SPDX-License-Identifier: Apache-2.0
// The parts of the page, each as HTML; empty where there is nothing to show.
#pragma once

#include "results.hpp"
#include "tables.hpp"

#include <string>

namespace int8_accuracy {

/// Series of plots, distinct on light and on dark pages.
const char *color_of(std::size_t series);

/// A network's name as part of an anchor: letters, digits and dashes.
std::string anchor_of(const std::string &name);

/// Sentences as paragraphs; escaped here.
std::string paragraphs(const std::vector<std::string> &sentences);

/// The table with its notes below.
std::string as_html(const text_table &table);

/// Scores worse than this stand at the edge of a plot, so that one bad method does not squeeze all
/// others together.
double worst_shown(const network_report &net);

/// Score against speed, a point per method whose speed was measured.
std::string pareto_plot(const network_report &net);

std::string training_section(const network_report &net);
std::string scores_section(const network_report &net); // formats, methods, fixed point
std::string layers_section(const network_report &net); // noise, sensitivity, bytes
std::string ranges_section(const network_report &net); // histograms and the ranges of the rules
std::string speed_section(const network_report &net);  // caps, mixed assignments

} // namespace int8_accuracy
