// SPDX-License-Identifier: Apache-2.0
// Scales of channels that are exchanged between two layers.
#include "migration.hpp"

#include "../../random_source.hpp"

#include <algorithm>
#include <cmath>

namespace int8_accuracy {

namespace {

std::vector<int> readers_of(const network &net, int l) {
    std::vector<int> all;
    for (std::size_t r = 0; r < net.layers.size(); ++r) {
        const std::vector<int> &from = net.layers[r].from;
        if (std::find(from.begin(), from.end(), l) != from.end()) all.push_back(int(r));
    }
    return all;
}

/// Divides channel j of layer normalisation l by scale[j] and multiplies the weights that read it.
void move_scales(trained_network &of, int l, const std::vector<float> &scale) {
    const std::size_t channels = scale.size();
    layer_parameters &normalization = of.learned[std::size_t(l)];
    for (std::size_t j = 0; j < channels; ++j) {
        normalization.weights[j] /= scale[j];
        normalization.bias[j] /= scale[j];
    }
    for (int reader : readers_of(of.net, l)) {
        std::vector<float> &weights = of.learned[std::size_t(reader)].weights;
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= scale[i % channels];
    }
}

std::vector<float> largest_weights(const trained_network &of, int l, std::size_t channels) {
    std::vector<float> largest(channels);
    for (int reader : readers_of(of.net, l)) {
        const std::vector<float> &weights = of.learned[std::size_t(reader)].weights;
        for (std::size_t i = 0; i < weights.size(); ++i)
            largest[i % channels] = std::max(largest[i % channels], std::fabs(weights[i]));
    }
    return largest;
}

} // namespace

std::vector<int> migratable(const network &net) {
    std::vector<int> all;
    for (std::size_t l = 0; l < net.layers.size(); ++l) {
        const layer &of = net.layers[l];
        if (of.kind != layer_kind::layer_normalization || of.result.height * of.result.width > 1)
            continue;
        const std::vector<int> readers = readers_of(net, int(l));
        const auto dense = [&](int r) {
            return net.layers[std::size_t(r)].kind == layer_kind::dense;
        };
        if (!readers.empty() && std::all_of(readers.begin(), readers.end(), dense))
            all.push_back(int(l));
    }
    return all;
}

trained_network with_migrated_scales(
    const trained_network &from, const calibration_data &measured, float strength) {
    trained_network to = from;
    for (int l : migratable(from.net)) {
        const std::vector<float> &activations = measured.largest[std::size_t(l)];
        const std::vector<float> weights = largest_weights(from, l, activations.size());
        std::vector<float> scale(activations.size(), 1.f);
        for (std::size_t j = 0; j < scale.size(); ++j)
            if (activations[j] > 0 && weights[j] > 0)
                scale[j] = std::pow(activations[j], strength) / std::pow(weights[j], 1 - strength);
        move_scales(to, l, scale);
    }
    return to;
}

trained_network with_outliers(
    const trained_network &from, float factor, int every, std::uint64_t seed) {
    trained_network to = from;
    examples::random_source random(seed);
    for (int l : migratable(from.net)) {
        const int channels = from.net.layers[std::size_t(l)].result.channels;
        std::vector<float> scale(std::size_t(channels), 1.f);
        for (int first = 0; first < channels; first += every)
            scale[std::size_t(first + random.below(std::min(every, channels - first)))] =
                1 / factor;
        move_scales(to, l, scale);
    }
    return to;
}

} // namespace int8_accuracy
