// SPDX-License-Identifier: Apache-2.0
// Labelled grey images of digits, and their division into training and held-out images.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace int8_accuracy {

constexpr int image_side = 28;
constexpr int image_pixels = image_side * image_side;
constexpr int class_count = 10;

struct dataset {
    std::vector<std::uint8_t> pixels; // count x 28 x 28, 0 is background, 255 is ink
    std::vector<std::uint8_t> labels; // count, 0 ... 9

    int count() const { return static_cast<int>(labels.size()); }
    const std::uint8_t *image(int i) const { return pixels.data() + i * image_pixels; }
};

struct data_split {
    dataset training, held_out;
    std::string origin; // where the images come from, for the report
};

/// A random order of 0 ... count-1; equal seeds give equal orders.
std::vector<int> shuffled_indices(int count, std::uint64_t seed);

/// The images [begin, end) of `order`.
dataset select(const dataset &from, const std::vector<int> &order, int begin, int end);

/// Shuffles, then puts the first `training_count` images into one part and all others into the
/// other.
data_split split(const dataset &all, int training_count, std::uint64_t seed, std::string origin);

/// pixel -> (pixel / 255 - mean) / deviation, with mean and deviation of the training images.
struct normalization {
    float mean = 0, deviation = 1;

    void apply(const std::uint8_t *image, float *normalized) const;
};

normalization measure_normalization(const dataset &images);

/// Images [begin, begin + count) of `from`, normalised; the last image repeats after the end.
std::vector<float> normalized_batch(
    const dataset &from, const normalization &norm, int begin, int count);

} // namespace int8_accuracy
