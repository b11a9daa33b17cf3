// SPDX-License-Identifier: Apache-2.0
// What the program is asked for.
#pragma once

#include "network.hpp"
#include "numbers.hpp"

#include <stdexcept>

namespace nmt {

/// Input that the program cannot work with, or a request for help; `status` is that of the program.
struct refused : std::runtime_error {
    refused(const std::string &what, int status) : std::runtime_error(what), status(status) {}
    int status;
};

struct options {
    sizes size;
    int beam = 16, batch = 16, sentences = 48, longest = 58, rounds = 3, threads = 0;
    std::vector<number> types {number::f32, number::int8};
    bool quick = false, timed = true;
    std::string json;
};

/// Throws refused, with one line that says what is wrong, or with the text of --help and status 0.
options read_options(int count, char **arguments);

} // namespace nmt
