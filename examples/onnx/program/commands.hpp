// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace dnnl_onnx {

struct command_options {
    std::string model;
    std::vector<std::string> inputs;
    std::string out;
    bool json = false, explain = false, no_fuse = false, layers = false;
    double seconds = 2;
};

/// Each returns the exit status of the program and throws `error` for what is wrong.
int run_command(const command_options &options);
int bench_command(const command_options &options);
int check_command(const command_options &options);

} // namespace dnnl_onnx
