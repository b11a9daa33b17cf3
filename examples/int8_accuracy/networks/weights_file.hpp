// SPDX-License-Identifier: Apache-2.0
// Keeps a trained network in a file.
#pragma once

#include "network.hpp"

#include <filesystem>

namespace int8_accuracy {

/// The file holds the text of the network, the numbers as they are in memory and a checksum. It is
/// written beside its place and then moved there, so that an interrupted program leaves the old
/// one.
void write_weights(const trained_network &from, const std::filesystem::path &path);

/// Throws std::runtime_error with one line that names the file if it is missing, damaged,
/// truncated, or was written for another network than `expected`.
trained_network read_weights(const std::filesystem::path &path, const network &expected);

} // namespace int8_accuracy
