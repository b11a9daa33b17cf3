// SPDX-License-Identifier: Apache-2.0
// Keeps a trained network in a file.
#pragma once

#include "network.hpp"

#include <filesystem>

namespace int8_accuracy {

class checked_reader;
class checked_writer;

/// The file holds the text of the network, the numbers as they are in memory and a checksum. It is
/// written beside its place and then moved there, so that an interrupted program leaves the old
/// one.
void write_weights(const trained_network &from, const std::filesystem::path &path);

/// Throws std::runtime_error with one line that names the file if it is missing, damaged,
/// truncated, or was written for another network than `expected`.
trained_network read_weights(const std::filesystem::path &path, const network &expected);

/// The same as a part of another file; `name` stands in messages.
void add_network(const trained_network &from, checked_writer &to);
trained_network take_network(
    checked_reader &from, const network &expected, const std::string &name);

} // namespace int8_accuracy
