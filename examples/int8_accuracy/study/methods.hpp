// SPDX-License-Identifier: Apache-2.0
// The ways of storing numbers that a study compares.
#pragma once

#include "../quantization/formats.hpp"

#include <string>
#include <vector>

namespace int8_accuracy {

/// f32 first, then the floating-point formats, then int8 with scales per channel (static, dynamic),
/// and integers of other widths.
std::vector<method> format_methods();

/// int8 with static ranges: scales of weights x grid of activations x rule of ranges; then weights
/// rounded to nearest and tuned, of 8 and 4 bits; then, with `migration`, scales that are moved to
/// the weights first.
std::vector<method> integer_methods(bool migration);

/// int8 as the study measures it per layer and in mixed assignments: "int8 static" of
/// format_methods().
layer_format static_int8_format();

/// Bits of dynamic fixed point: of what products read, of the parameters of convolutions, and of
/// those of dense layers and LSTMs.
struct fixed_point_bits {
    int sources, convolutions, dense;
    bool fine_tuned; // whether the study trains the network further with these bits

    std::string name() const; // "8-8-8"
};

/// Each part alone at 8, 4 and 2 bits beside 16 bits of the others, and all parts together.
const std::vector<fixed_point_bits> &fixed_point_choices();

assignment fixed_point_assignment(const network &net, const fixed_point_bits &bits);

} // namespace int8_accuracy
