// SPDX-License-Identifier: Apache-2.0
// Packing and the kernels of 64 and 128 bits.
#include "product.hpp"

#include "../../../tests/models/packed_64.hpp"

#include <chrono>
#include <cstring>
#include <emmintrin.h>
#include <stdexcept>
#include <string>

namespace vliw_gemm {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
}

int panels(int count, int size) { return (count + size - 1) / size; }

std::uint64_t load_8(const std::uint8_t *from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof(word));
    return word;
}

/// C[8][12] += panels of 8 rows and 12 columns, `pairs` pairs of depth. One 8-byte load has the
/// pairs of four rows, another one those of four columns.
void tile_of_words(
    const std::uint8_t *rows, const std::uint8_t *columns, int pairs, std::uint64_t (&sums)[8][6]) {
    using namespace models;
    // Bytes 2 i and 2 i + 1 of the load, widened, twice.
    constexpr std::uint64_t pair_of_row[] = {
        0x0901080009010800, 0x0903080209030802, 0x0905080409050804, 0x0907080609070806};
    for (int k = 0; k < pairs; ++k, rows += 16, columns += 24) {
        std::uint64_t right[6];
        for (int group = 0; group < 3; ++group) {
            const std::uint64_t word = load_8(columns + 8 * group);
            right[2 * group] = unpack_low(0, word);
            right[2 * group + 1] = unpack_high(0, word);
        }
        for (int i = 0; i < 8; ++i) {
            const std::uint64_t left =
                shuffle_bytes(0, load_8(rows + i / 4 * 8), pair_of_row[i % 4]);
            for (int j = 0; j < 6; ++j)
                sums[i][j] = add_words(sums[i][j], multiply_add_pairs(right[j], left));
        }
    }
}

/// C[4][8] the same way; eight bytes of columns become one register.
void tile_of_sse2(
    const std::uint8_t *rows, const std::uint8_t *columns, int pairs, __m128i (&sums)[4][2]) {
    const __m128i zero = _mm_setzero_si128();
    for (int k = 0; k < pairs; ++k, rows += 8, columns += 16) {
        const __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i *>(columns));
        const __m128i low = _mm_unpacklo_epi8(word, zero), high = _mm_unpackhi_epi8(word, zero);
        const __m128i left =
            _mm_unpacklo_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(rows)), zero);
        const __m128i pairs_of_rows[] = {_mm_shuffle_epi32(left, 0x00),
            _mm_shuffle_epi32(left, 0x55), _mm_shuffle_epi32(left, 0xaa),
            _mm_shuffle_epi32(left, 0xff)};
        for (int i = 0; i < 4; ++i) {
            sums[i][0] = _mm_add_epi32(sums[i][0], _mm_madd_epi16(low, pairs_of_rows[i]));
            sums[i][1] = _mm_add_epi32(sums[i][1], _mm_madd_epi16(high, pairs_of_rows[i]));
        }
    }
}

template <int height, int width, class Sums, class Kernel>
void packed_product(const bytes_matrix &a, const bytes_matrix &b, bool pack,
    std::vector<std::int32_t> &c, product_time &took, const Kernel &tile) {
    const int pairs = panels(a.columns, 2);
    const std::size_t row_panel = std::size_t(pairs) * 2 * height,
                      column_panel = std::size_t(pairs) * 2 * width;
    std::vector<std::uint8_t> rows, columns;
    clock::time_point start = clock::now();
    if (pack) {
        rows = pack_rows(a, height);
        columns = pack_columns(b, width);
        took.packing = seconds_since(start);
    }
    start = clock::now();
    const auto part_of = [](const bytes_matrix &m, int first_row, int count_rows, int first_column,
                             int count_columns) {
        bytes_matrix part {count_rows, count_columns, {}};
        for (int r = first_row; r < first_row + count_rows; ++r)
            for (int col = first_column; col < first_column + count_columns; ++col)
                part.values.push_back(r < m.rows && col < m.columns ? m.at(r, col) : 0);
        return part;
    };
    for (int n = 0; n < panels(b.columns, width); ++n)
        for (int m = 0; m < panels(a.rows, height); ++m) {
            const std::uint8_t *left = rows.data() + std::size_t(m) * row_panel;
            const std::uint8_t *right = columns.data() + std::size_t(n) * column_panel;
            std::vector<std::uint8_t> own_rows, own_columns;
            if (!pack) { // each tile gathers its operands anew
                own_rows = pack_rows(part_of(a, m * height, height, 0, a.columns), height);
                own_columns = pack_columns(part_of(b, 0, b.rows, n * width, width), width);
                left = own_rows.data();
                right = own_columns.data();
            }
            Sums sums {};
            tile(left, right, pairs, sums);
            std::int32_t plain[height][width];
            static_assert(sizeof(plain) == sizeof(sums));
            std::memcpy(plain, &sums, sizeof(plain));
            for (int i = 0; i < height && m * height + i < a.rows; ++i)
                for (int j = 0; j < width && n * width + j < b.columns; ++j)
                    c[std::size_t(m * height + i) * std::size_t(b.columns) +
                        std::size_t(n * width + j)] = plain[i][j];
        }
    took.multiplying = seconds_since(start);
}

struct words_tile {
    std::uint64_t sums[8][6];
};
struct sse2_tile {
    __m128i sums[4][2];
};

} // namespace

std::vector<std::uint8_t> pack_rows(const bytes_matrix &from, int height) {
    const int pairs = panels(from.columns, 2);
    std::vector<std::uint8_t> to(
        std::size_t(panels(from.rows, height)) * std::size_t(height) * std::size_t(pairs) * 2);
    for (int r = 0; r < from.rows; ++r) {
        std::uint8_t *panel =
            to.data() + (std::size_t(r / height) * std::size_t(pairs) * std::size_t(height) +
                            std::size_t(r % height)) *
                            2;
        for (int k = 0; k < from.columns; ++k)
            panel[std::size_t(k / 2) * std::size_t(height) * 2 + std::size_t(k % 2)] =
                from.at(r, k);
    }
    return to;
}

std::vector<std::uint8_t> pack_columns(const bytes_matrix &from, int width) {
    const int pairs = panels(from.rows, 2);
    std::vector<std::uint8_t> to(
        std::size_t(panels(from.columns, width)) * std::size_t(width) * std::size_t(pairs) * 2);
    for (int k = 0; k < from.rows; ++k)
        for (int n = 0; n < from.columns; ++n)
            to[((std::size_t(n / width) * std::size_t(pairs) + std::size_t(k / 2)) *
                       std::size_t(width) +
                   std::size_t(n % width)) *
                    2 +
                std::size_t(k % 2)] = from.at(k, n);
    return to;
}

std::vector<std::int32_t> multiply(
    const bytes_matrix &a, const bytes_matrix &b, kernel by, bool pack, product_time *took) {
    if (a.columns != b.rows)
        throw std::invalid_argument("the depths of the matrices are " + std::to_string(a.columns) +
                                    " and " + std::to_string(b.rows));
    if (a.columns > models::safe_depth)
        throw std::invalid_argument("a depth of " + std::to_string(a.columns) +
                                    ": sums of more than " + std::to_string(models::safe_depth) +
                                    " products of unsigned bytes may leave 32 bits");
    std::vector<std::int32_t> c(std::size_t(a.rows) * std::size_t(b.columns));
    product_time own;
    product_time &time = took ? *took : own;
    if (by == kernel::words_64) {
        packed_product<8, 12, words_tile>(a, b, pack, c, time,
            [](const std::uint8_t *rows, const std::uint8_t *columns, int pairs, words_tile &t) {
                tile_of_words(rows, columns, pairs, t.sums);
            });
    } else if (by == kernel::sse2) {
        packed_product<4, 8, sse2_tile>(a, b, pack, c, time,
            [](const std::uint8_t *rows, const std::uint8_t *columns, int pairs, sse2_tile &t) {
                tile_of_sse2(rows, columns, pairs, t.sums);
            });
    } else {
        const clock::time_point start = clock::now();
        for (int m = 0; m < a.rows; ++m)
            for (int n = 0; n < b.columns; ++n)
                for (int k = 0; k < a.columns; ++k)
                    c[std::size_t(m) * std::size_t(b.columns) + std::size_t(n)] +=
                        a.at(m, k) * b.at(k, n);
        time.multiplying = seconds_since(start);
    }
    return c;
}

} // namespace vliw_gemm
