// SPDX-License-Identifier: Apache-2.0
// Reading of whole files, and how a file that cannot be used is reported.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace int8_accuracy {

/// Throws std::runtime_error with one line: the file, then the reason.
[[noreturn]] void fail(const std::filesystem::path &file, const std::string &reason);

/// All bytes of a file. Throws std::runtime_error if it cannot be read or has more than `most`
/// bytes.
std::vector<std::uint8_t> read_bytes(const std::filesystem::path &file, std::uint64_t most);

} // namespace int8_accuracy
