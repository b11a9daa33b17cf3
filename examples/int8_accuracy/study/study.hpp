// SPDX-License-Identifier: Apache-2.0
// Everything about one network: training, calibration, methods, layers, mixed formats, speed.
#pragma once

#include "problem.hpp"

#include <filesystem>
#include <vector>

namespace int8_accuracy {

struct study_settings {
    /// Weights are read from this file if it is there; otherwise they are written to it after
    /// training. Empty: neither.
    std::filesystem::path weights;
    int calibration_count = 512;          // training objects that calibration sees
    std::vector<double> allowed {.1, .5}; // losses for mixed assignments, see best_assignment()
    bool bf16_training = true, fine_tuning = true, speed = true;
    bool quick = false; // rough speeds, few repetitions
};

/// Shows its progress. Throws std::runtime_error with one line if the weights cannot be used.
network_report study(const dnnl::engine &engine, const problem &of, const study_settings &settings);

} // namespace int8_accuracy
