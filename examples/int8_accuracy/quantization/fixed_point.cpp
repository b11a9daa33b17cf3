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

/// The numbers of so many bits and so many fraction bits.
template <typename Real> struct fixed_grid {
    Real unit, per_unit, lowest, highest;

    fixed_grid(int bits, int fraction)
        : unit(std::ldexp(Real(1), -fraction)), per_unit(std::ldexp(Real(1), fraction)),
          lowest(-std::ldexp(Real(1), bits - 1)), highest(-lowest - 1) {}
    Real nearest(Real x) const {
        return unit * std::clamp(std::nearbyint(x * per_unit), lowest, highest);
    }
};

/// `visit(f)` calls f(value, weight) for all numbers.
template <typename Visit> int best_of_fractions(const Visit &visit, float largest, int bits) {
    const int first = fraction_bits(largest, bits);
    int best = first;
    double least = -1;
    for (int fraction = first; fraction <= first + 4; ++fraction) {
        const fixed_grid<double> grid(bits, fraction);
        double error = 0;
        visit([&](double x, double weight) {
            const double difference = x - grid.nearest(x);
            error += weight * difference * difference;
        });
        if (least < 0 || error < least) {
            least = error;
            best = fraction;
        }
    }
    return best;
}

} // namespace

int best_fraction_bits(const float *values, std::size_t count, int bits) {
    const auto visit = [&](const auto &f) {
        for (std::size_t i = 0; i < count; ++i) f(values[i], 1);
    };
    return best_of_fractions(visit, calibration::extremes(values, count).largest(), bits);
}

int best_fraction_bits(const calibration::histogram &values, int bits) {
    const auto visit = [&](const auto &f) {
        for (std::size_t bin = 0; bin < values.counts.size(); ++bin)
            f(values.centre(bin), values.counts[bin]);
    };
    return best_of_fractions(visit, values.range.largest(), bits);
}

void round_to_fixed_point(const float *from, float *to, std::size_t count, int bits, int fraction) {
    const fixed_grid<float> grid(bits, fraction);
    for (std::size_t i = 0; i < count; ++i) to[i] = grid.nearest(from[i]);
}

} // namespace int8_accuracy
