// SPDX-License-Identifier: Apache-2.0
// The networks that come with the program.
#pragma once

#include "network.hpp"

namespace int8_accuracy {

struct zoo_entry {
    const char *name;
    const char *meaning; // one line for --help and reports
};

/// digits, residual, separable, characters, transformer.
const std::vector<zoo_entry> &known_networks();

/// The network of that name for objects of the shape: images for the first three, sequences for the
/// others. Throws std::invalid_argument if there is none of that name, std::runtime_error if the
/// objects do not fit.
network known_network(const std::string &name, const object_shape &objects, int classes);

} // namespace int8_accuracy
