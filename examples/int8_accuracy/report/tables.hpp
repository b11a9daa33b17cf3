// SPDX-License-Identifier: Apache-2.0
// The tables of a network, for the terminal and for the page alike.
#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace int8_accuracy {

/// Rows of texts under their titles; the first cell of a row is its heading. A table without rows
/// is not shown.
struct text_table {
    std::string caption;
    std::vector<std::string> titles;
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> notes; // sentences below it
};

/// Data, counts and where the weights come from, in one sentence each.
std::vector<std::string> facts_of(const network_report &net);

text_table training_table(const network_report &net);

/// Score, its interval, difference to f32 with p, agreement, bytes and speed of the methods of a
/// group.
text_table scores_table(
    const network_report &net, const std::string &group, const std::string &caption);

/// The group "fixed point" without and with fine-tuning, and the published rows where the score is
/// an accuracy.
text_table fixed_point_table(const network_report &net);

/// Signal to noise in dB, a row per product and a column per method of the group.
text_table noise_table(const network_report &net, const std::string &group);

/// Why a layer is hard to quantise: how unequal its output channels are, how far its largest input
/// lies out, and the noise with one scale for all, with one per channel, and of static int8.
text_table causes_table(const network_report &net);

text_table sensitivity_table(const network_report &net); // the costliest layer first
text_table bytes_table(const network_report &net);       // of f32, bf16 and static int8
text_table speed_table(const network_report &net);       // a row per cap and method
text_table mixed_table(const network_report &net);
text_table mixed_layers_table(const network_report &net); // a row per product

} // namespace int8_accuracy
