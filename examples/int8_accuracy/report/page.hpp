// SPDX-License-Identifier: Apache-2.0
// The report as one HTML page that needs no other file.
#pragma once

#include "results.hpp"

#include <filesystem>
#include <string>

namespace int8_accuracy {

std::string page_of(const report &results);

/// Throws std::runtime_error with one line that names the file.
void write_page(const report &results, const std::filesystem::path &path);

} // namespace int8_accuracy
