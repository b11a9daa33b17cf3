// SPDX-License-Identifier: Apache-2.0
// Moves scales between layer normalisations and the dense layers that read them.
#pragma once

#include "calibration.hpp"

#include <cstdint>

namespace int8_accuracy {

/// The layer normalisations whose readers are all dense: their channels can be scaled freely.
std::vector<int> migratable(const network &net);

/// The same function with channels that are easier to quantise (Xiao et al., 2023): channel j of
/// each migratable layer normalisation is divided by s_j = max |x_j|^strength / max |w_j|^(1 -
/// strength), and weights w_j of all its readers are multiplied by it. Calibrate the result anew.
trained_network with_migrated_scales(
    const trained_network &from, const calibration_data &measured, float strength = .5f);

/// The same function with channels like those of large language models: in each migratable layer
/// normalisation one channel of each `every` neighbours, chosen at random, is `factor` times as
/// large, and the weights that read it are as much smaller.
trained_network with_outliers(
    const trained_network &from, float factor, int every, std::uint64_t seed);

} // namespace int8_accuracy
