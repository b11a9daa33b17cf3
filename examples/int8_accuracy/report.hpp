// SPDX-License-Identifier: Apache-2.0
// Everything that a run found out, and its three forms: terminal, JSON, HTML.
#pragma once

#include "evaluation.hpp"
#include "speed.hpp"
#include "training.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace int8_accuracy {

struct report {
    std::string origin; // of the images
    int training_images = 0, held_out_images = 0, calibration_images = 0;
    std::string cpu, library; // names and versions
    int threads = 0;
    training_settings settings;
    training_result training;
    calibration measured;
    std::vector<variant_result> variants;      // main_variants()
    std::vector<variant_result> int8_variants; // static_int8_variants()
    std::vector<std::string> refused; // variants that the library could not run, with reason
    std::vector<level_speed> levels;  // empty if speed was not asked for
    dataset held_out;                 // for pictures
    double evaluation_seconds = 0, speed_seconds = 0;
};

/// Speed of one variant as a multiple of f32 at the same cap and batch; 0 if either is missing.
double speed_up(const level_speed &level, std::size_t variant, std::size_t batch);

/// Whether static int8 gave the same bits at every cap that was measured.
bool int8_bits_equal(const report &results);

void print_tables(const report &results);
void write_json(const report &results, const std::filesystem::path &path);
void write_html(const report &results, const std::filesystem::path &path);

} // namespace int8_accuracy
