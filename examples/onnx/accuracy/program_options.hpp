// SPDX-License-Identifier: Apache-2.0
// What the command lines of the accuracy programs have in common.
#pragma once

#include "variants.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace accuracy {

struct common_options {
    std::vector<std::string> types = variant_names(), keep;
    std::string save, html, json;
    std::uint64_t seed = 1;
};

/// `saved` says what --save writes.
void add_common(CLI::App &app, common_options &options, const std::string &saved);

/// Parses the command line and calls `run`. Returns the exit status of the program: an exception is
/// one line on standard error and 1.
int run_program(CLI::App &app, int argc, char **argv, const std::function<void()> &run);

/// "dnnl 3.13.1"
std::string library_text();

} // namespace accuracy
