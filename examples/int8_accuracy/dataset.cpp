// SPDX-License-Identifier: Apache-2.0
// Division and normalisation of the digit images.
#include "dataset.hpp"

#include "../random_source.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace int8_accuracy {

using examples::random_source;

std::vector<int> shuffled_indices(int count, std::uint64_t seed) {
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    random_source random(seed);
    for (int i = count - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
    return order;
}

dataset select(const dataset &from, const std::vector<int> &order, int begin, int end) {
    dataset chosen;
    chosen.pixels.reserve(static_cast<std::size_t>(end - begin) * image_pixels);
    for (int i = begin; i < end; ++i) {
        const std::uint8_t *image = from.image(order[i]);
        chosen.pixels.insert(chosen.pixels.end(), image, image + image_pixels);
        chosen.labels.push_back(from.labels[order[i]]);
    }
    return chosen;
}

data_split split(const dataset &all, int training_count, std::uint64_t seed, std::string origin) {
    const std::vector<int> order = shuffled_indices(all.count(), seed);
    return {select(all, order, 0, training_count), select(all, order, training_count, all.count()),
        std::move(origin)};
}

void normalization::apply(const std::uint8_t *image, float *normalized) const {
    for (int i = 0; i < image_pixels; ++i)
        normalized[i] = (static_cast<float>(image[i]) / 255 - mean) / deviation;
}

normalization measure_normalization(const dataset &images) {
    double sum = 0, sum_of_squares = 0;
    for (std::uint8_t pixel : images.pixels) {
        sum += pixel / 255.0;
        sum_of_squares += pixel / 255.0 * (pixel / 255.0);
    }
    const auto count = static_cast<double>(images.pixels.size());
    const double mean = sum / count;
    const double variance = sum_of_squares / count - mean * mean;
    return {static_cast<float>(mean), static_cast<float>(std::sqrt(std::max(variance, 1e-6)))};
}

std::vector<float> normalized_batch(
    const dataset &from, const normalization &norm, int begin, int count) {
    std::vector<float> batch(static_cast<std::size_t>(count) * image_pixels);
    for (int i = 0; i < count; ++i)
        norm.apply(from.image(std::min(begin + i, from.count() - 1)),
            batch.data() + static_cast<std::size_t>(i) * image_pixels);
    return batch;
}

} // namespace int8_accuracy
