// SPDX-License-Identifier: Apache-2.0
// Objects, or characters, per second. A cap on the instruction set takes effect once per process,
// so the program starts itself again for each cap.
#pragma once

#include "../quantization/calibration.hpp"
#include "../report/results.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace int8_accuracy {

constexpr std::array<int, 2> speed_batches {1, 64};

/// What runs: networks without layers of kind normalization, and what calibration saw of them.
struct speed_task {
    trained_network network;
    calibration_data measured;
    trained_network migrated; // with scales moved to the weights; empty if there is none
    calibration_data measured_of_migrated;
    std::vector<float> encoded; // the largest batch
    double seconds_per_figure = .4;
    double units_per_object = 1; // characters of a sequence
};

/// One way to run it; without formats its speed is not measured and counts as 0.
struct speed_candidate {
    std::string name;
    std::vector<layer_format> formats;
    bool migrated = false;
};

/// Units per second at the largest batch, in this process: the fastest of several rounds in which
/// all candidates take turns.
std::vector<double> measured_speeds(const dnnl::engine &engine, const speed_task &task,
    const std::vector<speed_candidate> &candidates);

/// f32, bf16, static and dynamic int8 at each batch: first under DEFAULT (everything the processor
/// has), then under each cap from SSE41 up, each in a process of its own. Shows its progress.
std::vector<level_speed> measure_levels(const speed_task &task);

/// The started process: reads the task from a file, measures under the cap of its environment if
/// that leaves all features of `required_isa` (a mask, see dnnl::cpu_isa), and writes the result
/// beside the file. Returns the exit status.
int measure_in_this_process(const std::filesystem::path &task_file, unsigned required_isa);

} // namespace int8_accuracy
