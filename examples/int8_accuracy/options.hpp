// SPDX-License-Identifier: Apache-2.0
// The command line.
#pragma once

#include "study/problem.hpp"
#include "study/study.hpp"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace int8_accuracy {

struct options {
    problem_choice choice;
    study_settings study;
    bool all = false; // each network of known_networks()
    std::string json_path = "int8_accuracy.json", html_path = "int8_accuracy.html";
    double least_accuracy = 0, largest_drop = 100; // %, points or hundredths of a bit
    std::vector<std::string> compare;              // two JSON files
    std::vector<std::string> measure_speed; // of a started process: task file, mask of features
};

void declare(CLI::App &app, options &o);

} // namespace int8_accuracy
