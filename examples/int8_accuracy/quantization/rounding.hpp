// SPDX-License-Identifier: Apache-2.0
// Rounds weights so that the results of a layer on calibration data change little, not the weights.
#pragma once

#include "weights.hpp"

#include <vector>

namespace int8_accuracy {

/// H = mean of x x' over inputs x of some rows of weights, for columns first ... first + count - 1.
struct moment_block {
    int first_row = 0, rows = 0;     // the rows of weights that read these inputs
    int first_column = 0, count = 0; // of the weight matrix
    std::vector<float> moments;      // count x count
    std::vector<float> factor; // upper triangle R with R'R = H + ridge, count x count, row-major
};

/// One block for each group of a convolution; more than 1024 columns are divided into several
/// blocks, and what the parts have to do with each other is left out.
using input_moments = std::vector<moment_block>;

/// `inputs` has `count` rows that the layer multiplies by its weights: groups x columns values in
/// the order of the weight matrix.
input_moments moments_of(const layer &of, const std::vector<float> &inputs, int count);

/// Sum over the blocks of (w - q)' H (w - q): the mean squared error of result `row`.
double output_error(
    const input_moments &moments, int row, const float *weights, const float *rounded);

/// Rounds the columns of each row one after the other and lets the columns that follow make up for
/// the error so far; a row for which nearest rounding has the smaller output_error() keeps it.
/// The scales are those of `nearest`.
quantized_weights tuned(
    const weight_matrix &from, const quantized_weights &nearest, const input_moments &moments);

} // namespace int8_accuracy
