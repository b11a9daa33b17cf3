// SPDX-License-Identifier: Apache-2.0
// Writes PNG files of every kind, for tests.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace int8_accuracy {

/// `rows` has the samples of each row, packed as the format says, without the filters' numbers.
struct png_description {
    int width = 0, height = 0, bits = 8, color = 0;
    int filter = 0; // of all rows
    int interlace = 0;
    std::string colors; // of the palette
    std::string rows;
};

inline std::string big_endian_text(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += char(value >> shift);
    return bytes;
}

inline std::string png_chunk(const std::string &type, const std::string &data) {
    const std::string checked = type + data;
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef *>(checked.data()), uInt(checked.size()));
    return big_endian_text(std::uint32_t(data.size())) + checked +
           big_endian_text(std::uint32_t(sum));
}

/// What a filter subtracts, written down as the standard's text has it.
inline int png_prediction(int filter, int a, int b, int c) {
    if (filter == 1) return a;
    if (filter == 2) return b;
    if (filter == 3) return (a + b) / 2;
    if (filter != 4) return 0;
    const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
    if (pa <= pb && pa <= pc) return a;
    return pb <= pc ? b : c;
}

inline std::string filtered_rows(const png_description &of) {
    static constexpr int samples[] {1, 0, 3, 1, 2, 0, 4};
    const int pixel_bits = of.bits * samples[of.color];
    const int stride = (of.width * pixel_bits + 7) / 8, step = pixel_bits < 8 ? 1 : pixel_bits / 8;
    const auto byte = [&](int y, int i) {
        return y < 0 || i < 0 ? 0 : int(static_cast<unsigned char>(of.rows[y * stride + i]));
    };
    std::string filtered;
    for (int y = 0; y < of.height; ++y) {
        filtered += char(of.filter);
        for (int i = 0; i < stride; ++i)
            filtered += char(byte(y, i) - png_prediction(of.filter, byte(y, i - step),
                                              byte(y - 1, i), byte(y - 1, i - step)));
    }
    return filtered;
}

inline std::string compressed(const std::string &data) {
    uLongf size = compressBound(data.size());
    std::string result(size, '\0');
    compress(reinterpret_cast<Bytef *>(result.data()), &size,
        reinterpret_cast<const Bytef *>(data.data()), data.size());
    return result.substr(0, size);
}

/// The image data are spread over two chunks.
inline std::string png_file(const png_description &of) {
    std::string header = big_endian_text(of.width) + big_endian_text(of.height);
    for (int value : {of.bits, of.color, 0, 0, of.interlace}) header += char(value);
    const std::string data = compressed(filtered_rows(of));
    std::string file = "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header);
    if (!of.colors.empty()) file += png_chunk("PLTE", of.colors);
    file += png_chunk("tEXt", "Title");
    file += png_chunk("IDAT", data.substr(0, 5)) + png_chunk("IDAT", data.substr(5));
    return file + png_chunk("IEND", "");
}

} // namespace int8_accuracy
