// SPDX-License-Identifier: Apache-2.0
// Ranges, scales and zero points.
#include "quantization.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace int8_accuracy {

using type = dnnl::memory::data_type;

value_range extremes(const float *values, std::size_t count) {
    if (count == 0) return {};
    constexpr std::size_t lanes = 16; // independent, so that the compiler may use vectors
    std::array<float, lanes> low, high;
    low.fill(values[0]);
    high.fill(values[0]);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const float x = values[i + lane];
            low[lane] = x < low[lane] ? x : low[lane];
            high[lane] = x > high[lane] ? x : high[lane];
        }
    for (; i < count; ++i) {
        low[0] = std::min(low[0], values[i]);
        high[0] = std::max(high[0], values[i]);
    }
    return {*std::min_element(low.begin(), low.end()), *std::max_element(high.begin(), high.end())};
}

histogram make_histogram(const std::vector<float> &values, std::size_t bins) {
    histogram h {extremes(values.data(), values.size()), std::vector<double>(bins, 0.)};
    const double width = h.bin_width();
    if (width <= 0) {
        h.counts[0] = static_cast<double>(values.size());
        return h;
    }
    for (float x : values) {
        const auto bin = static_cast<std::size_t>((x - h.range.low) / width);
        h.counts[std::min(bin, bins - 1)] += 1;
    }
    return h;
}

quantizer quantizer_for(value_range range, activation_grid grid) {
    if (grid == activation_grid::symmetric) {
        const float largest = std::max(std::fabs(range.low), std::fabs(range.high));
        return {largest > 0 ? largest / 127 : 1.f, 0, type::s8};
    }
    const float low = std::min(range.low, 0.f), high = std::max(range.high, 0.f);
    if (high - low <= 0) return {1.f, 0, type::u8};
    const float scale = (high - low) / 255;
    const auto zero_point = static_cast<std::int32_t>(std::nearbyint(-low / scale));
    return {scale, std::clamp(zero_point, 0, 255), type::u8};
}

namespace {

/// Sum over the histogram of (x - stored x)^2.
double squared_error(const histogram &values, const quantizer &q) {
    const double lowest = q.type == type::u8 ? 0 : -128, highest = q.type == type::u8 ? 255 : 127;
    double sum = 0;
    for (std::size_t bin = 0; bin < values.counts.size(); ++bin) {
        if (values.counts[bin] == 0) continue;
        const double x = values.centre(bin);
        const double stored =
            std::clamp(std::nearbyint(x / q.scale) + q.zero_point, lowest, highest);
        const double error = x - q.scale * (stored - q.zero_point);
        sum += values.counts[bin] * error * error;
    }
    return sum;
}

} // namespace

value_range least_squares_range(const histogram &values, activation_grid grid) {
    constexpr int candidates = 100;
    value_range best = values.range;
    double least = std::numeric_limits<double>::infinity();
    for (int i = candidates; i >= candidates / 10; --i) {
        const float part = float(i) / candidates;
        const value_range range {part * values.range.low, part * values.range.high};
        const double error = squared_error(values, quantizer_for(range, grid));
        if (error < least) {
            least = error;
            best = range;
        }
    }
    return best;
}

value_range chosen_range(const histogram &values, range_rule rule, activation_grid grid) {
    return rule == range_rule::min_max ? values.range : least_squares_range(values, grid);
}

std::vector<float> scales_of_weights(
    const std::vector<float> &weights, std::int64_t OC, weight_scales granularity) {
    const std::size_t count = granularity == weight_scales::per_channel ? std::size_t(OC) : 1;
    const std::size_t length = weights.size() / count;
    std::vector<float> scales(count);
    for (std::size_t c = 0; c < count; ++c) {
        const value_range range = extremes(weights.data() + c * length, length);
        const float largest = std::max(-range.low, range.high);
        scales[c] = largest > 0 ? largest / 127 : 1.f;
    }
    return scales;
}

} // namespace int8_accuracy
