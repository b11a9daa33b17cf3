// SPDX-License-Identifier: Apache-2.0
// The options of the program beside the case language.
#pragma once

#include "execution/sets.hpp"

#include <string>
#include <vector>

namespace conformance {

struct own_options {
    set_options set;
    std::string require_isa, hashes, json, html;
    std::vector<std::string> caps, threads;
    bool help = false, without_oracle = false, until_failure = false;
    unsigned jobs = 0;               // processes; 0: not asked for
    std::vector<std::string> tokens; // of the case language
    std::vector<std::string> rest;   // everything, for runs of the program by itself
};

/// Takes the own options out of the command line. Without arguments the default set is meant.
own_options options_of(const std::vector<std::string> &arguments);

void print_usage();

} // namespace conformance
