// SPDX-License-Identifier: Apache-2.0
// Ranges and distances of results.
#include "calibration.hpp"

#include "weights.hpp"

#include <algorithm>
#include <cmath>

namespace topologies {
namespace {

/// Of an f32 tensor whose channels or columns lie side by side.
float largest(const memory &of) {
    const memory::desc desc = of.get_desc();
    dims shape = desc.get_dims(), strides = desc.get_strides();
    const auto side_by_side =
        std::size_t(std::find(strides.begin(), strides.end(), 1) - strides.begin());
    const dim row = shape[side_by_side];
    shape.erase(shape.begin() + long(side_by_side));
    strides.erase(strides.begin() + long(side_by_side));
    dim rows = 1;
    for (const dim d : shape) rows *= d;
    float most = 0;
    for (dim r = 0; r < rows; ++r) {
        const auto *first = static_cast<const float *>(of.get_data_handle());
        dim rest = r;
        for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
            first += rest % shape[d] * strides[d];
        for (dim i = 0; i < row; ++i) most = std::max(most, std::fabs(first[i]));
    }
    return most;
}

} // namespace

std::vector<float> largest_magnitudes(
    built_network &of, const graph &g, dnnl::stream &stream, int inputs) {
    std::vector<float> most(g.layers.size());
    for (int i = 0; i < inputs; ++i) {
        of.set_input(random_input(g.layers[0], std::uint64_t(1000 + i)));
        // The last step of a layer completes its result.
        std::vector<float> here(most.size());
        of.run(stream,
            [&](const step &s) { here[std::size_t(s.layer)] = largest(of.result_of(s.layer)); });
        for (std::size_t l = 0; l < most.size(); ++l) most[l] = std::max(most[l], here[l]);
    }
    return most;
}

std::vector<float> results(built_network &of, const graph &g, dnnl::stream &stream, int inputs) {
    std::vector<float> all;
    for (int i = 0; i < inputs; ++i) {
        of.set_input(random_input(g.layers[0], std::uint64_t(1 + i)));
        of.run(stream);
        const std::vector<float> one = of.output();
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

bool finite(const std::vector<float> &values) {
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

signal_over_noise compare(
    const std::vector<float> &got, const std::vector<float> &expected, std::size_t objects) {
    const std::size_t each = expected.size() / objects;
    double whole = 0, differing = 0, noise = 0;
    for (std::size_t i = 0; i < each; ++i) {
        double mean = 0;
        for (std::size_t o = 0; o < objects; ++o) mean += expected[o * each + i] / double(objects);
        for (std::size_t o = 0; o < objects; ++o) {
            const double x = expected[o * each + i], error = x - got[o * each + i];
            whole += x * x;
            differing += (x - mean) * (x - mean);
            noise += error * error;
        }
    }
    if (noise == 0) return {};
    return {10 * std::log10(whole / noise), 10 * std::log10(differing / noise)};
}

} // namespace topologies
