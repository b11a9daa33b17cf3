// SPDX-License-Identifier: Apache-2.0
// Rows of weights, scales for groups of them, and rounding to the nearest integer.
#include "weights.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace int8_accuracy {

namespace {

constexpr int neighbours = 32;

/// Columns of storage are channel by channel; neighbours are counted position by position.
int append_blocks(std::vector<int> &block, int first, int channels, int positions) {
    const auto begin = block.size();
    block.resize(begin + std::size_t(channels) * positions);
    for (int c = 0; c < channels; ++c)
        for (int k = 0; k < positions; ++k)
            block[begin + std::size_t(c) * positions + k] = first + (k * channels + c) / neighbours;
    return first + (channels * positions + neighbours - 1) / neighbours;
}

/// `from` is inputs x rows, `to` rows x all columns of which `inputs` start at `first`.
void copy_transposed(const std::vector<float> &from, int inputs, int first, weight_matrix &to) {
    for (int i = 0; i < inputs; ++i)
        for (int r = 0; r < to.rows; ++r)
            to.values[std::size_t(r) * to.columns + first + i] = from[std::size_t(i) * to.rows + r];
}

weight_matrix matrix_of_lstm(const layer &of, const layer_parameters &from) {
    const int inputs = of.source.channels, states = of.result.channels;
    weight_matrix matrix;
    matrix.rows = 4 * states;
    matrix.columns = inputs + states;
    matrix.values.resize(std::size_t(matrix.rows) * matrix.columns);
    copy_transposed(from.weights, inputs, 0, matrix);
    copy_transposed(from.recurrent, states, inputs, matrix);
    matrix.blocks = append_blocks(matrix.block, 0, inputs, 1);
    matrix.blocks = append_blocks(matrix.block, matrix.blocks, states, 1);
    return matrix;
}

} // namespace

weight_matrix matrix_of(const layer &of, const layer_parameters &from) {
    if (of.kind == layer_kind::lstm) return matrix_of_lstm(of, from);
    const bool convolution = of.kind == layer_kind::convolution;
    const int channels = of.source.channels / (convolution ? of.groups : 1);
    const int positions = convolution ? of.kernel * of.kernel : of.source.height * of.source.width;
    weight_matrix matrix;
    matrix.rows = of.result.channels;
    matrix.columns = channels * positions;
    matrix.values = from.weights;
    matrix.blocks = append_blocks(matrix.block, 0, channels, positions);
    return matrix;
}

void set_matrix(const layer &of, const std::vector<float> &values, layer_parameters &to) {
    if (of.kind != layer_kind::lstm) {
        to.weights = values;
        return;
    }
    const int inputs = of.source.channels, states = of.result.channels;
    const int rows = 4 * states, columns = inputs + states;
    to.weights.resize(std::size_t(inputs) * rows);
    to.recurrent.resize(std::size_t(states) * rows);
    for (int r = 0; r < rows; ++r) {
        const float *row = values.data() + std::size_t(r) * columns;
        for (int i = 0; i < inputs; ++i) to.weights[std::size_t(i) * rows + r] = row[i];
        for (int i = 0; i < states; ++i) to.recurrent[std::size_t(i) * rows + r] = row[inputs + i];
    }
}

float quantized_weights::scale(int row, int column) const {
    switch (groups) {
    case weight_groups::tensor: return scales[0];
    case weight_groups::channel: return scales[std::size_t(row)];
    default: return scales[std::size_t(row) * blocks + block[std::size_t(column)]];
    }
}

std::vector<float> quantized_weights::values() const {
    std::vector<float> all(integers.size());
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const std::size_t i = std::size_t(r) * columns + c;
            all[i] = scale(r, c) * float(integers[i]);
        }
    return all;
}

quantized_weights quantize(const weight_matrix &from, weight_groups groups, int bits) {
    if (bits < 2 || bits > 16) throw std::invalid_argument("weights have 2 to 16 bits");
    quantized_weights to {from.rows, from.columns, bits, groups, {}, {}, from.block, from.blocks};
    const int per_row = groups == weight_groups::group ? from.blocks : 1;
    to.scales.assign(groups == weight_groups::tensor ? 1 : std::size_t(from.rows) * per_row, 0.f);
    const auto scale_of = [&](int r, int c) -> float & {
        if (groups == weight_groups::tensor) return to.scales[0];
        const int b = groups == weight_groups::group ? from.block[std::size_t(c)] : 0;
        return to.scales[std::size_t(r) * per_row + b];
    };
    for (int r = 0; r < from.rows; ++r)
        for (int c = 0; c < from.columns; ++c) {
            const float size = std::fabs(from.values[std::size_t(r) * from.columns + c]);
            scale_of(r, c) = std::max(scale_of(r, c), size);
        }
    for (float &scale : to.scales) scale = scale > 0 ? scale / float(to.largest()) : 1.f;
    to.integers.resize(from.values.size());
    const auto largest = float(to.largest());
    for (int r = 0; r < from.rows; ++r)
        for (int c = 0; c < from.columns; ++c) {
            const std::size_t i = std::size_t(r) * from.columns + c;
            const float q = std::nearbyint(from.values[i] / scale_of(r, c));
            to.integers[i] = std::int16_t(std::clamp(q, -largest, largest));
        }
    return to;
}

double channel_spread(const weight_matrix &weights) {
    std::vector<float> widths;
    for (int r = 0; r < weights.rows; ++r) {
        const value_range range = extremes(
            weights.values.data() + std::size_t(r) * weights.columns, std::size_t(weights.columns));
        widths.push_back(range.largest());
    }
    std::sort(widths.begin(), widths.end());
    const float median = widths.empty() ? 0 : widths[widths.size() / 2];
    return median > 0 ? widths.back() / median : 1;
}

double bytes_of_weights(const weight_matrix &weights, const layer_format &format) {
    const double count = double(weights.rows) * weights.columns;
    const double groups = double(weights.rows) * weights.blocks;
    switch (format.kind) {
    case number_kind::f32: return 4 * count;
    case number_kind::bf16:
    case number_kind::f16: return 2 * count;
    case number_kind::f8_e4m3:
    case number_kind::f8_e5m2: return count + 4;
    case number_kind::mx_f8: return count + groups;
    case number_kind::mx_f4: return std::ceil(count / 2) + groups;
    case number_kind::fixed_point: return std::ceil(count * format.weight_bits / 8);
    default: break;
    }
    const double scales = format.groups == weight_groups::tensor    ? 1
                          : format.groups == weight_groups::channel ? double(weights.rows)
                                                                    : groups;
    return std::ceil(count * format.weight_bits / 8) + 4 * scales;
}

} // namespace int8_accuracy
