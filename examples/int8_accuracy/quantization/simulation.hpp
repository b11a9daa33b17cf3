// SPDX-License-Identifier: Apache-2.0
// Rounds f32 numbers to the grids of narrower formats.
#pragma once

#include "../execution/program.hpp"
#include "sources.hpp"

namespace int8_accuracy {

/// Adds steps after which `to` holds the numbers of `from`, rounded to the grid; both are f32 with
/// the same layout. Scale and zero point of a dynamic grid come from the numbers themselves.
/// Rows of mx_f8 and mx_f4 have block.size() numbers, and those of equal block share a power of
/// two: 2^(floor(log2 max |x|) - e), where 2^e is the largest power of two of the format: e = 8 for
/// f8_e4m3 and 2 for f4_e2m1.
void add_rounding(program &steps, const number_grid &grid, const dnnl::memory &from,
    const dnnl::memory &to, const std::vector<int> &block);

/// Sets scale and zero point (none if there is no memory for it) of a dynamic grid to those of the
/// numbers of an f32 memory object; part of a program.
void measure_range(const number_grid &grid, const dnnl::memory &numbers, const dnnl::memory &scale,
    const dnnl::memory &zero_point);

/// Integers and scales of a layer's weights; `moments` is read by tuned rounding alone and must
/// then not be empty (std::invalid_argument).
quantized_weights integer_weights(
    const weight_matrix &weights, const layer_format &format, const input_moments &moments);

/// The weights that a simulated format has, rows x columns.
std::vector<float> rounded_weights(const dnnl::engine &engine, const weight_matrix &weights,
    const layer_format &format, const input_moments &moments);

} // namespace int8_accuracy
