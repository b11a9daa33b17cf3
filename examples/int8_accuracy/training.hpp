// SPDX-License-Identifier: Apache-2.0
// Trains the network on a set of digits.
#pragma once

#include "network.hpp"

#include <vector>

namespace int8_accuracy {

struct training_settings {
    int epochs = 8;
    int batch = 64;
    float rate = 0.02f; // the largest; it rises first, then falls to zero
    float momentum = 0.9f;
    float decay = 1e-4f;
    int largest_shift = 2; // pixels, each image is moved at random
    std::uint64_t seed = 1;
};

struct epoch_result {
    double loss;     // mean of -log p(label) over the epoch, while the weights changed
    double accuracy; // on the (shifted) training images, 0 ... 1
    double seconds;  // of this epoch
};

struct training_result {
    parameters trained;
    std::vector<epoch_result> epochs;
    double seconds = 0;
};

/// Shows its progress on standard output.
training_result train(
    const dnnl::engine &engine, const dataset &images, const training_settings &settings);

} // namespace int8_accuracy
