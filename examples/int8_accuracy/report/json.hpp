// SPDX-License-Identifier: Apache-2.0
// A report as a JSON file, and back.
#pragma once

#include "results.hpp"

#include <filesystem>
#include <string>

namespace int8_accuracy {

/// Numbers that JSON does not have are the texts "inf", "-inf" and "nan".
std::string to_json(const report &of);

/// The same report, bit for bit. Throws std::runtime_error with one line that begins with `source`
/// and names the field if the text is damaged or lacks something.
report from_json(const std::string &text, const std::string &source);

/// Throw std::runtime_error with one line that names the file.
void write_report(const report &of, const std::filesystem::path &path);
report read_report(const std::filesystem::path &path);

} // namespace int8_accuracy
