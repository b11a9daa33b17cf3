// SPDX-License-Identifier: Apache-2.0
// What is studied: a network, its data, and how it is trained.
#pragma once

#include "../training/training.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace int8_accuracy {

struct problem {
    network net;
    data_split data;
    encoding how;
    score_kind kind = score_kind::accuracy;
    training_settings training;
};

/// What a user asks for; empty is what the program has by itself.
struct problem_choice {
    std::string network;                     // a name of known_networks(), or a file
    std::filesystem::path idx, images, text; // at most one of them
    std::uint64_t seed = 1;                  // of weights, order, moves and drawn data
    int epochs = 0;                          // 0: as many as the network needs
    bool quick = false;                      // few objects and epochs: a smoke test
};

/// The network on the data that are given, or on those that come with the program and fit it; the
/// data's own network (digits for IDX files, residual for images, characters for text) if none is
/// named. Throws std::runtime_error with one line if something cannot be read or does not fit; for
/// a network in a file it names the line.
problem problem_of(const problem_choice &choice);

} // namespace int8_accuracy
