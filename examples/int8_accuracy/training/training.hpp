// SPDX-License-Identifier: Apache-2.0
// The training loop: random order and moves, learning rate, progress.
#pragma once

#include "../data/dataset.hpp"
#include "../report/results.hpp"
#include "training_network.hpp"

#include <string>

namespace int8_accuracy {

struct training_settings {
    int epochs = 10; // passes over the training data
    int batch = 64;
    float rate = .05f; // the largest one
    optimizer_settings update;
    augmentation moves; // of images
    std::uint64_t seed = 1;
};

/// The learning rate of step `done` of `total`: it rises over the first twentieth of all steps,
/// then falls to zero along half a cosine.
float rate_at(const training_settings &settings, int done, int total);

/// What the loop reads; everything must outlive the call.
struct training_task {
    const network &net;
    const parameters &start;
    const dataset &objects;
    const encoding &how;
    score_kind kind; // what the lines and the curve say besides the loss
};

struct training_result {
    parameters learned;
    training_curve curve; // without the score on held-out data
};

/// Runs settings.epochs passes. Objects beyond the last whole batch of a pass wait for another one.
/// `label` stands before the progress bar and names the curve; with `lines`, each epoch leaves a
/// line. Throws std::runtime_error if the loss is not finite, as it is when the rate is too large.
training_result train(const dnnl::engine &engine, const training_task &task,
    const training_settings &settings, arithmetic numbers, const std::string &label, bool lines,
    const training_hooks &hooks = {});

} // namespace int8_accuracy
