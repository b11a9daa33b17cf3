// SPDX-License-Identifier: Apache-2.0
// Writes and reads files of trained networks.
//
// Layout: 8 bytes "int8acc1"; then a u64 length and the text of the network; then the vectors mean
// and deviation, and five vectors for each layer, each a u64 count and f32 values; then the 64-bit
// FNV-1a hash of all bytes before it. Numbers are little-endian, as on every processor that the
// library runs on.
#include "weights_file.hpp"

#include "network_text.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

constexpr char magic[] = "int8acc1";
constexpr std::size_t magic_length = sizeof(magic) - 1;

std::uint64_t hash_of(const std::string &bytes, std::size_t count) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < count; ++i)
        hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3u;
    return hash;
}

void append(std::string &bytes, std::uint64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

void append(std::string &bytes, const std::vector<float> &values) {
    append(bytes, std::uint64_t(values.size()));
    bytes.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float));
}

/// Takes values from the front of the bytes of a file.
class reader {
  public:
    reader(const std::string &bytes, std::size_t end, std::string path)
        : bytes_(bytes), at_(magic_length), end_(end), path_(std::move(path)) {}

    std::uint64_t number() {
        std::uint64_t value = 0;
        take(&value, sizeof(value));
        return value;
    }

    std::string text() {
        const std::uint64_t length = number();
        if (length > end_ - at_) refuse();
        std::string text(std::size_t(length), ' ');
        take(text.data(), text.size());
        return text;
    }

    std::vector<float> values() {
        const std::uint64_t count = number();
        if (count > (end_ - at_) / sizeof(float)) refuse();
        std::vector<float> values(static_cast<std::size_t>(count));
        take(values.data(), values.size() * sizeof(float));
        return values;
    }

    bool at_end() const { return at_ == end_; }
    [[noreturn]] void refuse() const {
        throw std::runtime_error(fmt::format("{}: damaged", path_));
    }

  private:
    void take(void *to, std::size_t count) {
        if (count > end_ - at_) refuse();
        if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
        at_ += count;
    }

    const std::string &bytes_;
    std::size_t at_, end_;
    std::string path_;
};

/// What the two networks do not have in common, for a message.
std::string difference(const std::string &of_file, const network &expected) {
    network other;
    try {
        other = parse_network(of_file, "file");
    } catch (const std::runtime_error &) {
        return "its network is not understood";
    }
    for (std::size_t l = 0; l < std::min(other.layers.size(), expected.layers.size()); ++l)
        if (other.layers[l].name != expected.layers[l].name ||
            other.layers[l].result != expected.layers[l].result ||
            other.layers[l].kind != expected.layers[l].kind)
            return fmt::format("layer {} is '{}' there and '{}' here, or has another shape", l + 1,
                other.layers[l].name, expected.layers[l].name);
    return fmt::format("it has {} layers, not {}", other.layers.size(), expected.layers.size());
}

bool equal_sizes(const layer_parameters &a, const layer_parameters &b) {
    return a.weights.size() == b.weights.size() && a.recurrent.size() == b.recurrent.size() &&
           a.bias.size() == b.bias.size() && a.mean.size() == b.mean.size() &&
           a.variance.size() == b.variance.size();
}

std::string file_bytes(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(fmt::format("{}: cannot read", path.string()));
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

void write_weights(const trained_network &from, const std::filesystem::path &path) {
    std::string bytes(magic, magic_length);
    const std::string text = text_of(from.net);
    append(bytes, std::uint64_t(text.size()));
    bytes += text;
    append(bytes, from.mean);
    append(bytes, from.deviation);
    for (const layer_parameters &p : from.learned)
        for (const auto *values : {&p.weights, &p.recurrent, &p.bias, &p.mean, &p.variance})
            append(bytes, *values);
    append(bytes, hash_of(bytes, bytes.size()));
    const std::filesystem::path beside = path.string() + ".partial";
    std::ofstream file(beside, std::ios::binary);
    file.write(bytes.data(), std::streamsize(bytes.size()));
    file.close();
    std::error_code error;
    if (file) std::filesystem::rename(beside, path, error);
    if (file && !error) return;
    std::filesystem::remove(beside, error);
    throw std::runtime_error(fmt::format("{}: cannot write", path.string()));
}

trained_network read_weights(const std::filesystem::path &path, const network &expected) {
    const std::string bytes = file_bytes(path);
    const std::string name = path.string();
    if (bytes.compare(0, magic_length, magic) != 0)
        throw std::runtime_error(fmt::format("{}: not a file of weights", name));
    constexpr std::size_t hash_size = sizeof(std::uint64_t);
    std::uint64_t hash = 0;
    if (bytes.size() < magic_length + hash_size)
        throw std::runtime_error(fmt::format("{}: truncated", name));
    const std::size_t end = bytes.size() - hash_size;
    std::memcpy(&hash, bytes.data() + end, hash_size);
    if (hash != hash_of(bytes, end))
        throw std::runtime_error(fmt::format("{}: damaged or truncated", name));
    reader from(bytes, end, name);
    const std::string text = from.text();
    if (text != text_of(expected))
        throw std::runtime_error(
            fmt::format("{}: weights of another network: {}", name, difference(text, expected)));
    trained_network result {expected, {}, from.values(), from.values()};
    for (const layer &each : expected.layers) {
        layer_parameters p;
        for (auto *values : {&p.weights, &p.recurrent, &p.bias, &p.mean, &p.variance})
            *values = from.values();
        if (!equal_sizes(p, zero_parameters(each))) from.refuse();
        result.learned.push_back(std::move(p));
    }
    if (!from.at_end()) from.refuse();
    return result;
}

} // namespace int8_accuracy
