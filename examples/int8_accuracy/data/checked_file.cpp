// SPDX-License-Identifier: Apache-2.0
// Writes and reads files with a hash at their end.
#include "checked_file.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

namespace int8_accuracy {

std::uint64_t hash_of(const void *bytes, std::size_t count) {
    const auto *at = static_cast<const unsigned char *>(bytes);
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < count; ++i) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

std::string file_bytes(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(fmt::format("{}: cannot read", path.string()));
    return {std::istreambuf_iterator<char>(file), {}};
}

void checked_writer::add(std::uint64_t value) {
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

void checked_writer::add(double value) {
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

void checked_writer::add(const std::string &text) {
    add(std::uint64_t(text.size()));
    bytes_ += text;
}

void checked_writer::add(const std::vector<float> &values) {
    add(std::uint64_t(values.size()));
    bytes_.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float));
}

std::string checked_writer::bytes() const {
    checked_writer whole = *this;
    whole.add(hash_of(bytes_.data(), bytes_.size()));
    return whole.bytes_;
}

void checked_writer::write(const std::filesystem::path &path) const {
    const std::string all = bytes();
    const std::filesystem::path beside = path.string() + ".partial";
    std::ofstream file(beside, std::ios::binary);
    file.write(all.data(), std::streamsize(all.size()));
    file.close();
    std::error_code error;
    if (file) std::filesystem::rename(beside, path, error);
    if (file && !error) return;
    std::filesystem::remove(beside, error);
    throw std::runtime_error(fmt::format("{}: cannot write", path.string()));
}

checked_reader::checked_reader(std::string bytes, const std::string &kind, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)), at_(kind.size()) {
    if (bytes_.compare(0, kind.size(), kind) != 0)
        throw std::runtime_error(fmt::format("{}: not a file of the kind {}", name_, kind));
    std::uint64_t hash = 0;
    if (bytes_.size() < kind.size() + sizeof(hash))
        throw std::runtime_error(fmt::format("{}: truncated", name_));
    end_ = bytes_.size() - sizeof(hash);
    std::memcpy(&hash, bytes_.data() + end_, sizeof(hash));
    if (hash != hash_of(bytes_.data(), end_))
        throw std::runtime_error(fmt::format("{}: damaged or truncated", name_));
}

void checked_reader::refuse() const { throw std::runtime_error(fmt::format("{}: damaged", name_)); }

void checked_reader::take(void *to, std::size_t count) {
    if (count > end_ - at_) refuse();
    if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
}

std::uint64_t checked_reader::number() {
    std::uint64_t value = 0;
    take(&value, sizeof(value));
    return value;
}

double checked_reader::real() {
    double value = 0;
    take(&value, sizeof(value));
    return value;
}

std::string checked_reader::text() {
    const std::uint64_t length = number();
    if (length > end_ - at_) refuse();
    std::string text(std::size_t(length), ' ');
    take(text.data(), text.size());
    return text;
}

std::vector<float> checked_reader::values() {
    const std::uint64_t count = number();
    if (count > (end_ - at_) / sizeof(float)) refuse();
    std::vector<float> values(static_cast<std::size_t>(count));
    take(values.data(), values.size() * sizeof(float));
    return values;
}

void checked_reader::finish() const {
    if (at_ != end_) refuse();
}

} // namespace int8_accuracy
