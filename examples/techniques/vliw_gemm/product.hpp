// SPDX-License-Identifier: Apache-2.0
// Products of matrices of unsigned bytes by packed 64-bit words: blocks that fit the caches, packed
// into the order in which the kernel reads (Goto and van de Geijn, 2008).
#pragma once

#include <cstdint>
#include <vector>

namespace vliw_gemm {

struct bytes_matrix {
    int rows = 0, columns = 0;
    std::vector<std::uint8_t> values; // row-major
    std::uint8_t at(int r, int c) const {
        return values[std::size_t(r) * std::size_t(columns) + std::size_t(c)];
    }
};

/// Rows in panels of `height`, pairs of depth side by side: [panel][depth / 2][row][2]. Columns the
/// same of the transpose. What lies beyond the matrix is zero.
std::vector<std::uint8_t> pack_rows(const bytes_matrix &from, int height);
std::vector<std::uint8_t> pack_columns(const bytes_matrix &from, int width);

enum class kernel {
    words_64, // the instructions of a machine of 64-bit words, modelled; tile of 8 x 12
    sse2,     // the same by registers of 128 bits; tile of 4 x 8
    scalar,   // a loop over depth for each element
};

struct product_time {
    double packing = 0, multiplying = 0; // s
};

/// C = A B in 32 bits. Throws std::invalid_argument for a depth beyond which sums may wrap.
/// `pack`: otherwise the kernels gather their operands from the matrices as they lie.
std::vector<std::int32_t> multiply(const bytes_matrix &a, const bytes_matrix &b, kernel by,
    bool pack, product_time *took = nullptr);

} // namespace vliw_gemm
