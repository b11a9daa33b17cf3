// SPDX-License-Identifier: Apache-2.0
// Trains a network further while its numbers are rounded to dynamic fixed point.
#pragma once

#include "../quantization/calibration.hpp"
#include "problem.hpp"

#include <string>

namespace int8_accuracy {

/// Weights, and results that products read, are rounded in each forward pass as `formats` (all of
/// kind fixed_point) says; gradients pass straight through to weights with all their bits.
/// `folded` has no layers of kind normalization; `measured` gives the fractions of what products
/// read, and whoever runs the result needs the same.
trained_network fine_tuned(const dnnl::engine &engine, const problem &of,
    const trained_network &folded, const calibration_data &measured, const assignment &formats,
    const std::string &label);

} // namespace int8_accuracy
