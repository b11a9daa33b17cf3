// SPDX-License-Identifier: Apache-2.0
// What distributed_training is asked for.
#pragma once

#include "cost_model.hpp"
#include "shared_batches.hpp"

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

namespace distributed {

struct options {
    shared_settings shared;
    int batch = 64, epochs = 10, images = 12000;
    std::uint64_t seed = 1;
    float rate = .1f;
    std::filesystem::path checkpoint, resume, json;
    std::string compare;
    double tolerance = .01, least_accuracy = 0;
    bool placement = true, scaling = false;
    int rounds = 5, steps = 20;           // of --scaling
    double latency = 2, bandwidth = 12.5; // of the network that is assumed: us, GB/s
    int lose_rank = -1, lose_epoch = 0;   // of --lose

    connection network() const { return {latency * 1e-6, bandwidth * 1e9}; }
};

void declare(CLI::App &app, options &o);

/// The residual network on drawn colour images; every rank draws the same ones.
int8_accuracy::problem problem_of(const options &o);

} // namespace distributed
