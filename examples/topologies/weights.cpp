// SPDX-License-Identifier: Apache-2.0
// He initialization: weights with variance gain^2 * 2 / inputs before a relu, gain^2 / inputs
// elsewhere.
#include "weights.hpp"

#include "../random_source.hpp"

#include <algorithm>
#include <cmath>

namespace topologies {
namespace {

/// Nearly normal with standard deviation 1: the sum of four uniform numbers of 16 bits, which takes
/// one random word. Networks have up to 85 million weights.
float nearly_normal(examples::random_source &random) {
    const std::uint64_t word = random.bits();
    std::int32_t sum = 0;
    for (int part = 0; part < 4; ++part) sum += std::int32_t(word >> (16 * part) & 0xffff);
    return (float(sum) - 2 * 65535.f) * (1.7320508f / 65536);
}

std::vector<float> normal(
    examples::random_source &random, std::size_t count, float mean, float deviation) {
    std::vector<float> values(count);
    for (float &v : values) v = mean + deviation * nearly_normal(random);
    return values;
}

/// Subtracts its mean from each row, so that the part of the inputs that all pictures share does
/// not outweigh the rest.
void centre_rows(std::vector<float> &values, std::size_t columns) {
    for (std::size_t first = 0; first < values.size(); first += columns) {
        float mean = 0;
        for (std::size_t k = 0; k < columns; ++k) mean += values[first + k] / float(columns);
        for (std::size_t k = 0; k < columns; ++k) values[first + k] -= mean;
    }
}

} // namespace

layer_weights random_weights(const graph &g, int of) {
    const layer &l = g.layers[std::size_t(of)];
    examples::random_source random(std::uint64_t(of) * 7919 + 1);
    const auto channels = std::size_t(l.shape[1]);
    layer_weights w;
    if (l.what == kind::layer_normalization) {
        w.normal_scale = normal(random, channels, 1, .1f);
        w.normal_add = normal(random, channels, 0, .1f);
        return w;
    }
    const auto count = std::size_t(g.weights(of));
    const std::size_t rows = channels * (l.more.shuffles ? 4 : 1), columns = count / rows;
    const bool halves = l.more.after != activation::none && l.more.after != activation::tanh;
    w.values =
        normal(random, count, 0, l.more.gain * std::sqrt((halves ? 2.f : 1.f) / float(columns)));
    if (l.more.groups == 1) centre_rows(w.values, columns);
    w.bias = normal(random, rows, 0, .1f * l.more.gain);
    if (l.more.after == activation::prelu) {
        w.slopes = normal(random, channels, .25f, .05f);
        for (std::size_t i = channels; i < rows; ++i) w.slopes.push_back(w.slopes[i - channels]);
    }
    return w;
}

std::vector<float> scales_of_rows(const float *values, dim rows, dim columns) {
    std::vector<float> scales;
    for (dim row = 0; row < rows; ++row) {
        float largest = 1e-20f;
        for (dim k = 0; k < columns; ++k)
            largest = std::max(largest, std::fabs(values[row * columns + k]));
        scales.push_back(largest / 127);
    }
    return scales;
}

std::vector<float> random_input(const layer &input, std::uint64_t seed) {
    examples::random_source random(seed);
    std::size_t count = 1;
    for (const dim d : input.shape) count *= std::size_t(d);
    std::vector<float> values = normal(random, count, 0, 1);
    if (!input.image()) return values;
    const auto width = std::size_t(input.shape[3]), plane = std::size_t(input.shape[2]) * width;
    // Each pixel leans on those above and to the left of it, as pixels of pictures do. How much,
    // how bright and how rich in contrast a channel is differs, because networks that end in an
    // average tell textures apart.
    for (std::size_t first = 0; first < count; first += plane) {
        const auto along = float(random.uniform(.05, .9)), down = .95f - along;
        const auto bright = float(random.uniform(.2, .8)), contrast = float(random.uniform(.1, .6));
        float *v = values.data() + first;
        for (std::size_t i = 0; i < plane; ++i) {
            const float left = i % width > 0 ? v[i - 1] : 0, above = i >= width ? v[i - width] : 0;
            v[i] = .4f * v[i] + along * left + down * above;
        }
        for (std::size_t i = 0; i < plane; ++i)
            v[i] = std::clamp(bright + contrast * v[i], 0.f, 1.f);
    }
    return values;
}

} // namespace topologies
