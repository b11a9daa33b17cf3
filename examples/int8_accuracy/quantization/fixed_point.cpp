// SPDX-License-Identifier: Apache-2.0
// Fraction bits, and rounding to them.
#include "fixed_point.hpp"

#include <algorithm>
#include <cmath>

namespace int8_accuracy {

int fraction_bits(float largest, int bits) {
    if (!(largest > 0)) return bits - 1;
    return bits - 1 - int(std::ceil(std::log2(largest)));
}

namespace {

/// An integer grid with its ends.
struct fixed_grid {
    double unit, lowest, highest;

    fixed_grid(int bits, int fraction)
        : unit(std::ldexp(1., -fraction)), lowest(-std::ldexp(1., bits - 1)), highest(-lowest - 1) {
    }
    double rounded(double x) const {
        return unit * std::clamp(std::nearbyint(x / unit), lowest, highest);
    }
};

/// `visit(f)` calls f(value, weight) for all numbers.
template <typename Visit> int best_of_fractions(const Visit &visit, float largest, int bits) {
    const int first = fraction_bits(largest, bits);
    int best = first;
    double least = -1;
    for (int fraction = first; fraction <= first + 4; ++fraction) {
        const fixed_grid grid(bits, fraction);
        double error = 0;
        visit([&](double x, double weight) {
            const double difference = x - grid.rounded(x);
            error += weight * difference * difference;
        });
        if (least < 0 || error < least) {
            least = error;
            best = fraction;
        }
    }
    return best;
}

float largest_of(const calibration::value_range &range) { return std::max(-range.low, range.high); }

} // namespace

int best_fraction_bits(const float *values, std::size_t count, int bits) {
    const auto visit = [&](const auto &f) {
        for (std::size_t i = 0; i < count; ++i) f(values[i], 1);
    };
    return best_of_fractions(visit, largest_of(calibration::extremes(values, count)), bits);
}

int best_fraction_bits(const calibration::histogram &values, int bits) {
    const auto visit = [&](const auto &f) {
        for (std::size_t bin = 0; bin < values.counts.size(); ++bin)
            f(values.centre(bin), values.counts[bin]);
    };
    return best_of_fractions(visit, largest_of(values.range), bits);
}

void round_to_fixed_point(const float *from, float *to, std::size_t count, int bits, int fraction) {
    const float unit = std::ldexp(1.f, -fraction), per_unit = std::ldexp(1.f, fraction);
    const float lowest = -std::ldexp(1.f, bits - 1), highest = -lowest - 1;
    for (std::size_t i = 0; i < count; ++i)
        to[i] = unit * std::clamp(std::nearbyint(from[i] * per_unit), lowest, highest);
}

void round_at_random(const float *from, float *to, std::size_t count, int bits, int fraction,
    examples::random_source &random) {
    const double unit = std::ldexp(1., -fraction), per_unit = std::ldexp(1., fraction);
    const double lowest = -std::ldexp(1., bits - 1), highest = -lowest - 1;
    for (std::size_t i = 0; i < count; ++i) {
        const double q = std::floor(double(from[i]) * per_unit + random.unit());
        to[i] = float(unit * std::clamp(q, lowest, highest));
    }
}

} // namespace int8_accuracy
