// SPDX-License-Identifier: Apache-2.0
// What training goes on from after an interruption.
#pragma once

#include "../int8_accuracy/networks/network.hpp"
#include "../int8_accuracy/training/optimizer.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace distributed {

struct checkpoint {
    int8_accuracy::trained_network trained;
    int8_accuracy::optimizer_state moments;
    std::string settings;       // one line: what must be the same where training goes on
    std::vector<double> losses; // mean of each epoch so far
};

/// Replaces the file in one step, so that a rank that is lost meanwhile leaves the old one. Throws
/// std::runtime_error with one line if it cannot.
void write_checkpoint(const checkpoint &from, const std::filesystem::path &path);

/// The checkpoint in the bytes of a file. Throws std::runtime_error with one line that begins with
/// `name` if it is damaged, truncated, or of another network or other settings.
checkpoint parse_checkpoint(std::string bytes, const std::string &name,
    const int8_accuracy::network &net, const std::string &settings);

} // namespace distributed
