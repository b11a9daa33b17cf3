// SPDX-License-Identifier: Apache-2.0
// Calibration, and what quantisation costs: accuracy, agreement with f32, noise per layer.
#pragma once

#include "classifier.hpp"

#include <array>
#include <string>
#include <vector>

namespace int8_accuracy {

/// Runs the f32 network over the images and records the distribution of each layer's source.
calibration calibrate(const dnnl::engine &engine, const parameters &trained, const dataset &images);

struct variant_result {
    variant how;
    double accuracy;  // part of the images whose most probable class is the label
    double agreement; // part of the images with the same most probable class as f32
    std::array<double, layer_count> sqnr; // dB, signal-to-quantisation-noise ratio of each layer's
                                          // result: 10 log10(sum x^2 / sum (x - quantised x)^2)
    std::size_t weight_bytes;
    std::array<std::string, layer_count> implementations;
    std::vector<int> classes; // the most probable class of each image
};

/// Judges each variant against f32 on the same images. A variant that the library refuses is left
/// out and its reason appended to `refused`.
std::vector<variant_result> evaluate(const dnnl::engine &engine, const parameters &trained,
    const std::vector<variant> &variants, const calibration &measured, const dataset &images,
    std::vector<std::string> &refused);

/// f32, bf16, int8 per tensor, int8 per channel, dynamic: compared in accuracy and in speed.
std::vector<variant> main_variants();

/// The two ranges x two grids x two granularities of static int8.
std::vector<variant> static_int8_variants();

} // namespace int8_accuracy
