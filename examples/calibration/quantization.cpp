// SPDX-License-Identifier: Apache-2.0
// Ranges, scales and zero points.
#include "quantization.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace calibration {

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

void collector::widen() {
    std::vector<double> wider(2 * half);
    for (std::size_t i = 0; i < 2 * half; ++i) wider[half / 2 + i / 2] += counts_[i];
    counts_ = std::move(wider);
    limit_ *= 2;
}

void collector::add(const float *values, std::size_t count) {
    const value_range range = extremes(values, count);
    const float largest = range.largest();
    if (!(largest > 0) || !std::isfinite(largest)) return;
    if (limit_ == 0) limit_ = std::exp2(std::ceil(std::log2(largest)) + 1);
    while (largest >= limit_) widen();
    const float scale = float(half) / limit_;
    for (std::size_t i = 0; i < count; ++i) {
        const auto bin = std::int64_t(std::floor(values[i] * scale)) + std::int64_t(half);
        counts_[std::size_t(std::clamp<std::int64_t>(bin, 0, 2 * half - 1))] += 1;
    }
}

histogram collector::result() const {
    const auto full = [](double count) { return count > 0; };
    const auto first = std::find_if(counts_.begin(), counts_.end(), full);
    if (first == counts_.end()) return {{}, {0.}};
    const auto last = std::find_if(counts_.rbegin(), counts_.rend(), full).base();
    const auto edge = [&](auto at) {
        return (float(at - counts_.begin()) - float(half)) * limit_ / float(half);
    };
    return {{edge(first), edge(last)}, {first, last}};
}

integer_limits limits_of(activation_grid grid, int bits) {
    if (grid == activation_grid::asymmetric) return {0, (1 << bits) - 1};
    return {-(1 << (bits - 1)), (1 << (bits - 1)) - 1};
}

quantizer quantizer_for(value_range range, activation_grid grid, int bits) {
    const std::int32_t highest = limits_of(grid, bits).highest;
    if (grid == activation_grid::symmetric) {
        const float largest = std::max(std::fabs(range.low), std::fabs(range.high));
        return {largest > 0 ? largest / float(highest) : 1.f, 0, bits > 8 ? type::s32 : type::s8};
    }
    const type stored = bits > 8 ? type::s32 : type::u8;
    const float low = std::min(range.low, 0.f), high = std::max(range.high, 0.f);
    if (high - low <= 0) return {1.f, 0, stored};
    const float scale = (high - low) / float(highest);
    const auto zero_point = static_cast<std::int32_t>(std::nearbyint(-low / scale));
    return {scale, std::clamp(zero_point, 0, highest), stored};
}

namespace {

/// Sum over the histogram of (x - stored x)^2.
double squared_error(const histogram &values, const quantizer &q, const integer_limits &limits) {
    const double lowest = limits.lowest, highest = limits.highest;
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

value_range least_squares_range(const histogram &values, activation_grid grid, int bits) {
    constexpr int candidates = 100;
    value_range best = values.range;
    double least = std::numeric_limits<double>::infinity();
    for (int i = candidates; i >= candidates / 10; --i) {
        const float part = float(i) / candidates;
        const value_range range {part * values.range.low, part * values.range.high};
        const double error =
            squared_error(values, quantizer_for(range, grid, bits), limits_of(grid, bits));
        if (error < least) {
            least = error;
            best = range;
        }
    }
    return best;
}

value_range percentile_range(const histogram &values, double part) {
    double all = 0, low = 0, high = 0;
    for (double count : values.counts) all += count;
    std::size_t first = 0, last = values.counts.size();
    while (first + 1 < last && low + values.counts[first] <= part * all)
        low += values.counts[first++];
    while (last - 1 > first && high + values.counts[last - 1] <= part * all)
        high += values.counts[--last];
    const auto width = float(values.bin_width());
    return {values.range.low + float(first) * width, values.range.low + float(last) * width};
}

namespace {

/// The sum over the bins of p ln(p / q): p has the values beyond the quantiser's range in its
/// outermost bins, q spreads the values of each stored integer evenly over the bins that it has.
double divergence(const histogram &values, const quantizer &q, const integer_limits &limits) {
    const std::int32_t lowest = limits.lowest, last_level = limits.highest - lowest;
    std::vector<int> level(values.counts.size());
    std::vector<double> p(values.counts.size()), sums(last_level + 1), bins(last_level + 1);
    std::size_t first = values.counts.size(), last = 0;
    for (std::size_t bin = 0; bin < level.size(); ++bin) {
        const double stored = std::nearbyint(values.centre(bin) / q.scale) + q.zero_point - lowest;
        level[bin] = int(std::clamp(stored, 0., double(last_level)));
        if (stored < 0 || stored > last_level) continue;
        first = std::min(first, bin);
        last = bin;
    }
    if (first > last) return std::numeric_limits<double>::infinity();
    for (std::size_t bin = 0; bin < level.size(); ++bin) {
        const std::size_t at = std::clamp(bin, first, last);
        p[at] += values.counts[bin];
        if (bin < first || bin > last || values.counts[bin] == 0) continue;
        sums[level[bin]] += values.counts[bin];
        bins[level[bin]] += 1;
    }
    double p_sum = 0, q_sum = 0, result = 0;
    for (std::size_t bin = first; bin <= last; ++bin) {
        p_sum += p[bin];
        if (values.counts[bin] > 0) q_sum += sums[level[bin]] / bins[level[bin]];
    }
    for (std::size_t bin = first; bin <= last; ++bin) {
        if (p[bin] == 0) continue;
        const double spread =
            values.counts[bin] > 0 ? sums[level[bin]] / bins[level[bin]] / q_sum : 1e-9;
        result += p[bin] / p_sum * std::log(p[bin] / p_sum / spread);
    }
    return result;
}

} // namespace

// The upper end first, then the lower one: an outlier on one side leaves the other side alone.
value_range divergence_range(const histogram &values, activation_grid grid, int bits) {
    constexpr int candidates = 50;
    value_range best = values.range;
    for (float value_range::*end : {&value_range::high, &value_range::low}) {
        double least = std::numeric_limits<double>::infinity();
        value_range range = best;
        for (int i = candidates; i >= candidates / 10; --i) {
            range.*end = values.range.*end * float(i) / candidates;
            const double found =
                divergence(values, quantizer_for(range, grid, bits), limits_of(grid, bits));
            if (found < least) {
                least = found;
                best = range;
            }
        }
    }
    return best;
}

value_range chosen_range(const histogram &values, range_rule rule, activation_grid grid, int bits) {
    switch (rule) {
    case range_rule::min_max: return values.range;
    case range_rule::percentile: return percentile_range(values, 5e-5);
    case range_rule::divergence: return divergence_range(values, grid, bits);
    default: return least_squares_range(values, grid, bits);
    }
}

std::vector<float> scales_of_weights(
    const std::vector<float> &weights, std::int64_t OC, weight_scales granularity) {
    const std::size_t count = granularity == weight_scales::per_channel ? std::size_t(OC) : 1;
    const std::size_t length = weights.size() / count;
    std::vector<float> scales(count);
    for (std::size_t c = 0; c < count; ++c) {
        const value_range range = extremes(weights.data() + c * length, length);
        const float largest = range.largest();
        scales[c] = largest > 0 ? largest / 127 : 1.f;
    }
    return scales;
}

} // namespace calibration
