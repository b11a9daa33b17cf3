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
