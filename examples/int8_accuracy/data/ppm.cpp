// SPDX-License-Identifier: Apache-2.0
// Reads PGM and PPM: P5 or P6, width, height, largest value, one white space, then the bytes.
#include "ppm.hpp"

#include "files.hpp"

#include <cctype>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

namespace fs = std::filesystem;

class ppm_header_reader {
  public:
    ppm_header_reader(const fs::path &file, const std::vector<std::uint8_t> &bytes)
        : file_(file), bytes_(bytes) {}

    /// 1 for P5, 3 for P6.
    int channels() {
        if (next() != 'P') fail(file_, "is not a PGM or PPM file");
        const int kind = next();
        if (kind != '5' && kind != '6') fail(file_, "is not a binary PGM or PPM file (P5 or P6)");
        return kind == '5' ? 1 : 3;
    }

    /// The next number, and the one white space behind it.
    int number() {
        int c = next();
        while (std::isspace(c) || c == '#') {
            if (c == '#')
                while (c != '\n' && c != '\r') c = next();
            c = next();
        }
        if (!std::isdigit(c)) fail(file_, "damaged: its header has something else than a number");
        int value = 0;
        for (; std::isdigit(c); c = next()) {
            value = value * 10 + (c - '0');
            if (value > 1'000'000)
                fail(file_, "damaged: its header has a number that is too large");
        }
        if (!std::isspace(c)) fail(file_, "damaged: its header has something else than a number");
        return value;
    }

    std::size_t position() const { return at_; }

  private:
    int next() {
        if (at_ == bytes_.size()) fail(file_, "truncated: it ends inside its header");
        return bytes_[at_++];
    }

    const fs::path &file_;
    const std::vector<std::uint8_t> &bytes_;
    std::size_t at_ = 0;
};

} // namespace

image read_ppm(const fs::path &file) {
    const std::vector<std::uint8_t> bytes = read_bytes(file, 1 << 20);
    ppm_header_reader header(file, bytes);
    image result;
    result.channels = header.channels();
    result.width = header.number();
    result.height = header.number();
    const int largest_value = header.number();
    if (result.width == 0 || result.height == 0) fail(file, "damaged: it has no pixels");
    if (result.width > largest_image_side || result.height > largest_image_side)
        fail(file, fmt::format("is {}x{}, the largest size is {}x{}", result.width, result.height,
                       largest_image_side, largest_image_side));
    if (largest_value != 255)
        fail(file, fmt::format("its largest value is {}, expected 255", largest_value));
    const std::size_t expected = std::size_t(result.width) * result.height * result.channels;
    const std::size_t present = bytes.size() - header.position();
    if (present < expected)
        fail(file, fmt::format("truncated: its header promises {} bytes of data, {} are there",
                       expected, present));
    if (present > expected) fail(file, "damaged: it is longer than its header says");
    result.pixels.assign(bytes.begin() + std::ptrdiff_t(header.position()), bytes.end());
    return result;
}

} // namespace int8_accuracy
