// SPDX-License-Identifier: Apache-2.0
// The arithmetic of quantisation: real value = scale * (stored integer - zero point).
#pragma once

#include <dnnl.hpp>

#include <cstdint>
#include <vector>

namespace calibration {

enum class range_rule {
    min_max,       // everything that calibration saw
    least_squares, // clipped where rounding and clipping together cost the least squared error
    percentile,    // without the outermost 0.005 % of the values at each end
    divergence,    // clipped where the distribution changes least (Kullback and Leibler)
};

struct named_rule {
    const char *name;
    range_rule rule;
};

/// All of them, by the names of command lines and reports.
constexpr named_rule range_rules[] = {{"min-max", range_rule::min_max},
    {"percentile", range_rule::percentile}, {"least-squares", range_rule::least_squares},
    {"divergence", range_rule::divergence}};

enum class activation_grid {
    symmetric,  // s8, zero point 0
    asymmetric, // u8 with a zero point
};

enum class weight_scales { per_tensor, per_channel };

/// How one tensor of activations is stored as integers.
struct quantizer {
    float scale = 1;
    std::int32_t zero_point = 0;
    dnnl::memory::data_type type = dnnl::memory::data_type::u8;
};

struct value_range {
    float low = 0, high = 0;
    /// The largest magnitude.
    float largest() const { return high > -low ? high : -low; }
};

/// Counts of the values of one tensor in equal bins between its extremes.
struct histogram {
    value_range range;
    std::vector<double> counts;

    double bin_width() const { return (range.high - range.low) / double(counts.size()); }
    double centre(std::size_t bin) const { return range.low + (double(bin) + .5) * bin_width(); }
};

histogram make_histogram(const std::vector<float> &values, std::size_t bins);

/// Gathers a histogram of tensors that come one after the other. The bins double their width when a
/// value lies outside of them.
class collector {
  public:
    void add(const float *values, std::size_t count);
    /// From the first to the last bin that is not empty, 2048 bins at most.
    histogram result() const;

  private:
    static constexpr std::size_t half = 1024; // bins on each side of 0
    void widen();

    std::vector<double> counts_ = std::vector<double>(2 * half);
    float limit_ = 0; // the bins cover [-limit, limit)
};

/// Smallest and largest value; {0, 0} if there is none.
value_range extremes(const float *values, std::size_t count);

/// The stored integers that a grid of so many bits has: 0 ... 2^bits - 1 if asymmetric,
/// -2^(bits - 1) ... 2^(bits - 1) - 1 if symmetric. 2 to 16 bits.
struct integer_limits {
    std::int32_t lowest, highest;
};
integer_limits limits_of(activation_grid grid, int bits = 8);

/// Symmetric: scale = max |x| / 127, s8. Asymmetric: the range is extended to hold 0, so that 0 is
/// exact; scale = (high - low) / 255, zero point = round(-low / scale), u8. A range of zero width
/// gets scale 1. Other bits have the largest integer of their limits instead of 127 and 255; more
/// than 8 of them have the type s32.
quantizer quantizer_for(value_range range, activation_grid grid, int bits = 8);

/// The part of the histogram's range whose quantiser has the least sum of squared errors.
value_range least_squares_range(const histogram &values, activation_grid grid, int bits = 8);

/// Without the `part` of the values that is smallest and that is largest.
value_range percentile_range(const histogram &values, double part);

/// The range, within the histogram's, under whose quantiser the distribution changes least.
value_range divergence_range(const histogram &values, activation_grid grid, int bits = 8);

value_range chosen_range(
    const histogram &values, range_rule rule, activation_grid grid, int bits = 8);

/// max |w| / 127 over the tensor (one value) or over each output channel (OC values).
/// weights: OC rows of equal length.
std::vector<float> scales_of_weights(
    const std::vector<float> &weights, std::int64_t OC, weight_scales granularity);

} // namespace calibration
