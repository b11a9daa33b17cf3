// SPDX-License-Identifier: Apache-2.0
// Images per second of each variant under each cap on the instruction set. A cap takes effect once
// per process, so the program starts itself again for each of them.
#pragma once

#include "evaluation.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace int8_accuracy {

constexpr std::array<int, 2> speed_batches {1, 64};

struct variant_speed {
    std::string name;
    std::array<double, speed_batches.size()> images_per_second {}; // 0 if the library refused
    std::string refusal;                                           // its reason, empty otherwise
};

struct level_speed {
    std::string level;         // a value of ONEDNN_MAX_CPU_ISA
    bool on_this_cpu = false;  // the CPU has the whole level, so it was measured
    std::string failure;       // why a level of this CPU could not be measured, empty otherwise
    std::string int8_checksum; // of the logits of static int8: equal logits, equal checksum
    std::vector<variant_speed> speeds; // in the order of main_variants()
};

/// What the started processes need.
struct speed_problem {
    parameters trained;
    calibration measured;
    std::vector<float> images; // normalised, the largest batch
    double seconds_per_figure = 0.3;
};

/// First DEFAULT (everything the CPU has), then each cap from AVX2 up. Shows its progress.
std::vector<level_speed> measure_levels(const speed_problem &problem);

/// The started process: reads the problem from a file, measures under the cap of its environment if
/// that leaves all features of `required_isa` (a mask, see dnnl::cpu_isa), and writes the result
/// beside the file. Returns the exit status.
int measure_in_this_process(const std::filesystem::path &problem_file, unsigned required_isa);

} // namespace int8_accuracy
