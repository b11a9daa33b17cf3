// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "png.hpp"

#include <string>
#include <vector>

namespace dnnl_onnx {

struct command_options {
    std::string model;
    std::vector<std::string> inputs;
    pixel_scaling scaling; // of pictures
    std::string out, html;
    bool json = false, explain = false, no_fuse = false, layers = false;
    double seconds = 2;
    std::vector<int> threads, batches;                      // of bench; empty: as they are
    std::string type = "f32";                               // of run and bench
    std::vector<std::string> types {"bf16", "f16", "int8"}; // of compare
    std::string calibration;            // a folder of .npy files for the first input
    std::string rule = "least-squares"; // for the ranges of int8
    std::vector<std::string> keep;      // parts of the names of nodes that stay in f32
    double allow = -1;                  // percent of changed decisions; below 0: any
    double decibels = 20;               // below which compare names the first result
};

/// Each returns the exit status of the program and throws `error` for what is wrong.
int run_command(const command_options &options);
int bench_command(const command_options &options);
int check_command(const command_options &options);
int compare_command(const command_options &options);

} // namespace dnnl_onnx
