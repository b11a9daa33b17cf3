// SPDX-License-Identifier: Apache-2.0
// Weights as rows of a matrix, and as integers with scales.
#pragma once

#include "formats.hpp"

#include <cstdint>
#include <vector>

namespace int8_accuracy {

/// The weights that give one number of a layer's result are a row. Convolutions and dense layers
/// have a row per output channel, in the order of storage; lstm has 4 x OC rows, gate by gate,
/// whose columns are those of the input and then those of the recurrent state, so that both share
/// scales.
struct weight_matrix {
    int rows = 0, columns = 0;
    std::vector<float> values; // rows x columns
    /// For each column, which 32 neighbours it belongs to. Neighbours are input channels of the
    /// same position of the kernel where there are at least 32 of them.
    std::vector<int> block;
    int blocks = 1;
};

weight_matrix matrix_of(const layer &of, const layer_parameters &from);

/// Puts rows x columns values back into the weights, and of lstm into the recurrent ones.
void set_matrix(const layer &of, const std::vector<float> &values, layer_parameters &to);

/// weight = scale * integer; integers are -(2^(bits-1) - 1) ... 2^(bits-1) - 1.
struct quantized_weights {
    int rows = 0, columns = 0, bits = 8;
    weight_groups groups = weight_groups::channel;
    std::vector<std::int16_t> integers; // rows x columns
    std::vector<float> scales;          // 1, rows, or rows x blocks
    std::vector<int> block;             // of each column
    int blocks = 1;

    float scale(int row, int column) const;
    int largest() const { return (1 << (bits - 1)) - 1; }
    std::vector<float> values() const; // scale * integer
};

/// Nearest integers with scale = max |w| / (2^(bits-1) - 1) of each group, 1 if all are 0.
/// Throws std::invalid_argument unless 2 <= bits <= 16.
quantized_weights quantize(const weight_matrix &from, weight_groups groups, int bits);

/// The largest magnitude of the widest row over that of the median row; 1 if that one is 0.
double channel_spread(const weight_matrix &weights);

/// Bytes of so many weights with their scales (f32; a byte for each power of two of mx_f8 and
/// mx_f4).
double bytes_of_weights(const weight_matrix &weights, const layer_format &format);

} // namespace int8_accuracy
