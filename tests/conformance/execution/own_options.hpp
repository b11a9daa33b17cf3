// SPDX-License-Identifier: Apache-2.0
// The options of the program that are not part of the case language.
#pragma once

#include "execution/sets.hpp"

#include <string>
#include <utility>
#include <vector>

namespace conformance {

struct own_options {
    set_options set;
    std::string require_isa, hashes, json, html;
    std::vector<std::string> caps, threads;
    bool help = false, without_oracle = false, until_failure = false;
    unsigned jobs = 0;                                     // processes; 0: not asked for
    std::vector<std::pair<std::size_t, std::size_t>> only; // numbers of cases: first, last
    std::vector<std::string> tokens;                       // of the case language
    std::vector<std::string> rest; // everything, for runs of the program by itself
};

/// True if --only names the place of a case among those of the run, or if nothing is named.
bool is_chosen(const own_options &o, std::size_t place);

/// Takes the own options out of the command line. Without arguments the default set is meant.
own_options options_of(const std::vector<std::string> &arguments);

void print_usage();

} // namespace conformance
