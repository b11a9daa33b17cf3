// SPDX-License-Identifier: Apache-2.0
// Random numbers in the place of trained weights and of pictures, scaled so that the values of all
// layers keep their size.
#pragma once

#include "graph.hpp"

#include <cstdint>

namespace topologies {

/// f32. With batch normalization folded in, as networks are prepared for inference.
struct layer_weights {
    std::vector<float> values;                   // of each output channel in turn
    std::vector<float> bias;                     // of output channels
    std::vector<float> slopes;                   // of a prelu, of output channels
    std::vector<float> normal_scale, normal_add; // of a layer normalization
};

/// The same in every run.
layer_weights random_weights(const graph &g, int layer);

/// max |w| / 127 of each output channel.
std::vector<float> scales_of_rows(const float *values, dim rows, dim columns);

/// Pictures: pixels between 0 and 1 in patches of neighbours that are alike. Rows: a normal
/// distribution. The elements lie in the order of the dims.
std::vector<float> random_input(const layer &input, std::uint64_t seed);

} // namespace topologies
