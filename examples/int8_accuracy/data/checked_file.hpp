// SPDX-License-Identifier: Apache-2.0
// Files of numbers and texts that tell whether they are whole.
//
// Layout: eight bytes that name the kind of the file; numbers as a u64 or f64, texts and vectors of
// f32 each after their u64 length; the 64-bit FNV-1a hash of all bytes before it. Numbers are
// little-endian, as on every processor that the library runs on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace int8_accuracy {

/// Gathers what a file holds.
class checked_writer {
  public:
    explicit checked_writer(const std::string &kind) : bytes_(kind) {}

    void add(std::uint64_t value);
    void add(double value);
    void add(const std::string &text);
    void add(const std::vector<float> &values);

    /// Everything so far with its hash.
    std::string bytes() const;

    /// Writes bytes() beside their place and then moves them there, so that an interrupted program
    /// leaves the old file. Throws std::runtime_error with one line that names the file.
    void write(const std::filesystem::path &path) const;

  private:
    std::string bytes_;
};

/// Takes values out of the bytes of a file in the order in which they were added. `name` stands in
/// messages. All functions throw std::runtime_error with one line for bytes of another kind, too
/// few or too many of them, or a wrong hash.
class checked_reader {
  public:
    checked_reader(std::string bytes, const std::string &kind, std::string name);

    std::uint64_t number();
    double real();
    std::string text();
    std::vector<float> values();

    /// Refuses what is left.
    void finish() const;
    [[noreturn]] void refuse() const;

  private:
    void take(void *to, std::size_t count);

    std::string bytes_, name_;
    std::size_t at_, end_;
};

/// All bytes of a file. Throws std::runtime_error if it cannot be read.
std::string file_bytes(const std::filesystem::path &path);

/// FNV-1a.
std::uint64_t hash_of(const void *bytes, std::size_t count);

} // namespace int8_accuracy
