// SPDX-License-Identifier: Apache-2.0
// One network in all wanted types: what it gives, how fast it is, and what is claimed of it.
#pragma once

#include "networks.hpp"
#include "storage.hpp"

#include "../techniques/claims.hpp"

namespace topologies {

struct run_options {
    network_size size;
    std::vector<precision> types;
    int rounds = 7, threads = 0; // threads 0: as many as the runtime has
    bool layers = false;         // a line for each layer
};

/// Prints the tables and adds the claims.
void report(const named_network &which, const run_options &options, techniques::claims &claims);

} // namespace topologies
