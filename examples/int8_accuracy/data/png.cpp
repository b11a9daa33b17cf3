// SPDX-License-Identifier: Apache-2.0
// Decodes PNG (ISO/IEC 15948): chunks -> zlib stream -> filtered rows -> samples -> bytes.
#include "png.hpp"

#include "files.hpp"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

namespace fs = std::filesystem;
using byte_vector = std::vector<std::uint8_t>;

enum color_type { grey = 0, rgb = 2, palette = 3, grey_alpha = 4, rgb_alpha = 6 };

struct png_header {
    int width = 0, height = 0, bits = 0, color = grey;

    int samples() const {
        return color == rgb_alpha ? 4 : color == rgb ? 3 : color == grey_alpha ? 2 : 1;
    }
    int row_bytes() const { return (width * samples() * bits + 7) / 8; }
    /// The distance of the byte that filters call the left neighbour.
    int pixel_bytes() const { return std::max(1, samples() * bits / 8); }
};

std::uint32_t big_endian(const std::uint8_t *bytes) {
    return std::uint32_t(bytes[0]) << 24 | std::uint32_t(bytes[1]) << 16 |
           std::uint32_t(bytes[2]) << 8 | bytes[3];
}

struct chunk {
    std::string type;
    const std::uint8_t *data;
    std::uint32_t size;
};

/// Gives the chunks of a file one after the other, their checksums compared.
class chunk_reader {
  public:
    chunk_reader(const fs::path &file, const byte_vector &bytes) : file_(file), bytes_(bytes) {
        static constexpr std::uint8_t signature[8] {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
        const std::size_t present = std::min<std::size_t>(8, bytes.size());
        if (std::memcmp(bytes.data(), signature, present) != 0) fail(file, "is not a PNG file");
        if (present < 8) fail(file, "truncated: it ends inside its signature");
    }

    chunk next() {
        need(8, "before its last chunk");
        const std::uint8_t *start = bytes_.data() + at_;
        chunk found {{start + 4, start + 8}, start + 8, big_endian(start)};
        for (char &letter : found.type)
            if (!std::isalpha(static_cast<unsigned char>(letter)))
                fail(file_, "damaged: the name of a chunk is not made of letters");
        need(std::uint64_t(found.size) + 12, "inside its chunk " + found.type);
        const auto expected = big_endian(found.data + found.size);
        if (crc32(0, start + 4, found.size + 4) != expected)
            fail(file_, fmt::format("damaged: wrong checksum of its chunk {}", found.type));
        at_ += std::size_t(found.size) + 12;
        return found;
    }

  private:
    void need(std::uint64_t count, const std::string &where) const {
        if (bytes_.size() - at_ < count) fail(file_, "truncated: it ends " + where);
    }

    const fs::path &file_;
    const byte_vector &bytes_;
    std::size_t at_ = 8;
};

bool known_depth(int color, int bits) {
    switch (color) {
    case grey: return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16;
    case palette: return bits == 1 || bits == 2 || bits == 4 || bits == 8;
    case rgb:
    case grey_alpha:
    case rgb_alpha: return bits == 8 || bits == 16;
    default: return false;
    }
}

png_header parse_header(const fs::path &file, const chunk &first) {
    if (first.type != "IHDR" || first.size != 13)
        fail(file, "damaged: its first chunk is not a header of 13 bytes");
    const std::uint32_t width = big_endian(first.data), height = big_endian(first.data + 4);
    if (width == 0 || height == 0) fail(file, "damaged: it has no pixels");
    if (width > largest_image_side || height > largest_image_side)
        fail(file, fmt::format("is {}x{}, the largest size is {}x{}", width, height,
                       largest_image_side, largest_image_side));
    const png_header header {int(width), int(height), first.data[8], first.data[9]};
    if (!known_depth(header.color, header.bits))
        fail(file, fmt::format("damaged: colour type {} with {} bits", header.color, header.bits));
    if (first.data[10] != 0 || first.data[11] != 0)
        fail(file, "damaged: unknown method of compression or filtering");
    if (first.data[12] != 0) fail(file, "is interlaced, which is not supported");
    return header;
}

struct png_contents {
    png_header header;
    byte_vector colors;     // of the palette: red, green, blue
    byte_vector compressed; // the zlib stream
};

png_contents read_chunks(const fs::path &file, const byte_vector &bytes) {
    chunk_reader reader(file, bytes);
    png_contents contents {parse_header(file, reader.next()), {}, {}};
    for (chunk next = reader.next(); next.type != "IEND"; next = reader.next()) {
        byte_vector &target = next.type == "IDAT" ? contents.compressed : contents.colors;
        if (next.type == "IDAT" || next.type == "PLTE")
            target.insert(target.end(), next.data, next.data + next.size);
        else if (std::isupper(static_cast<unsigned char>(next.type[0])))
            fail(file, "has an unknown chunk " + next.type); // it says that it must not be skipped
    }
    if (contents.header.color == palette &&
        (contents.colors.empty() || contents.colors.size() % 3 != 0 ||
            contents.colors.size() > 3 * 256))
        fail(file, "damaged: its palette is missing or has a wrong size");
    return contents;
}

byte_vector inflate_rows(const fs::path &file, const png_contents &contents) {
    const png_header &h = contents.header;
    byte_vector rows(std::size_t(h.height) * (1 + h.row_bytes()));
    uLongf size = rows.size();
    const int code =
        uncompress(rows.data(), &size, contents.compressed.data(), contents.compressed.size());
    if (code == Z_BUF_ERROR) fail(file, "damaged: its image data end early or are too long");
    if (code != Z_OK) fail(file, "damaged: its image data cannot be decompressed");
    if (size != rows.size())
        fail(file,
            fmt::format("damaged: it has {} bytes of image data instead of {}", size, rows.size()));
    return rows;
}

/// The neighbour that left + up - corner is nearest to; of equal ones the first.
int paeth(int left, int up, int corner) {
    const int estimate = left + up - corner;
    const int to_left = std::abs(estimate - left), to_up = std::abs(estimate - up),
              to_corner = std::abs(estimate - corner);
    return to_left <= to_up && to_left <= to_corner ? left : to_up <= to_corner ? up : corner;
}

int predicted(int filter, int left, int up, int corner) {
    switch (filter) {
    case 1: return left;
    case 2: return up;
    case 3: return (left + up) / 2;
    case 4: return paeth(left, up, corner);
    default: return 0;
    }
}

/// Each row has its filter's number in front, here and in the result.
void undo_filters(const fs::path &file, const png_header &h, byte_vector &rows) {
    const int stride = 1 + h.row_bytes(), step = h.pixel_bytes();
    const byte_vector above_the_first(stride);
    for (int y = 0; y < h.height; ++y) {
        std::uint8_t *row = rows.data() + std::size_t(y) * stride;
        const std::uint8_t *above = y == 0 ? above_the_first.data() : row - stride;
        if (row[0] > 4) fail(file, fmt::format("damaged: unknown filter {}", row[0]));
        for (int i = 1; i < stride; ++i) {
            const bool has_left = i > step;
            row[i] = std::uint8_t(row[i] + predicted(row[0], has_left ? row[i - step] : 0, above[i],
                                               has_left ? above[i - step] : 0));
        }
    }
}

/// Sample `index` of a row: its bits, or the upper byte of sixteen.
int sample(const std::uint8_t *row, int bits, int index) {
    if (bits >= 8) return row[index * (bits / 8)];
    const int position = index * bits;
    return row[position / 8] >> (8 - bits - position % 8) & ((1 << bits) - 1);
}

image to_image(const fs::path &file, const png_contents &contents, const byte_vector &rows) {
    const png_header &h = contents.header;
    const int samples = h.samples();
    image result {h.width, h.height, h.color == grey || h.color == grey_alpha ? 1 : 3, {}};
    result.pixels.reserve(std::size_t(h.width) * h.height * result.channels);
    for (int y = 0; y < h.height; ++y) {
        const std::uint8_t *row = rows.data() + std::size_t(y) * (1 + h.row_bytes()) + 1;
        for (int x = 0; x < h.width; ++x)
            for (int c = 0; c < result.channels; ++c) {
                int value = sample(row, h.bits, x * samples + (h.color == palette ? 0 : c));
                if (h.color == palette) {
                    if (std::size_t(value) * 3 >= contents.colors.size())
                        fail(file, fmt::format("damaged: colour {} is not in its palette", value));
                    value = contents.colors[value * 3 + c];
                } else if (h.bits < 8)
                    value = value * 255 / ((1 << h.bits) - 1);
                result.pixels.push_back(std::uint8_t(value));
            }
    }
    return result;
}

} // namespace

image read_png(const fs::path &file) {
    // The largest image that is accepted has half a megabyte; the rest is room for remarks in it.
    const byte_vector bytes = read_bytes(file, 16 << 20);
    const png_contents contents = read_chunks(file, bytes);
    byte_vector rows = inflate_rows(file, contents);
    undo_filters(file, contents.header, rows);
    return to_image(file, contents, rows);
}

} // namespace int8_accuracy
