// SPDX-License-Identifier: Apache-2.0
// Starts this program again, and hands files to it and back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace int8_accuracy {

/// A file with a name of its own that disappears with this object, together with its result_file().
class temporary_file {
  public:
    temporary_file();
    temporary_file(const temporary_file &) = delete;
    temporary_file &operator=(const temporary_file &) = delete;
    ~temporary_file();
    const std::filesystem::path &path() const { return path_; }

  private:
    std::filesystem::path path_;
};

/// Where the started process writes what it found.
std::filesystem::path result_file(const std::filesystem::path &task_file);

/// Throw std::runtime_error with one line that names the file.
void write_cbor(const std::filesystem::path &path, const nlohmann::json &of);
nlohmann::json read_cbor(const std::filesystem::path &path);

/// Starts this program with the arguments under the cap on the instruction set, and waits for it.
/// Empty, or what went wrong.
std::string run_again(const std::vector<std::string> &arguments, const std::string &cap);

} // namespace int8_accuracy
