// SPDX-License-Identifier: Apache-2.0
// The score of a result: its distance from the exact value in units of what is allowed
// (doc/numerics.md, "How a result is judged").
#include "execution/execution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace conformance {
namespace {

// Significant digits of a floating type, the hidden one included, and its smallest normal exponent.
struct precision {
    int digits, lowest_exponent;
};

precision precision_of(data_type type) {
    switch (type) {
    case data_type::f64: return {53, -1022};
    case data_type::bf16: return {8, -126};
    case data_type::f16: return {11, -14};
    case data_type::f8_e5m2: return {3, -14};
    case data_type::f8_e4m3: return {4, -6};
    case data_type::f4_e2m1: return {2, 0};
    case data_type::e8m0: return {1, -127};
    default: return {24, -126};
    }
}

double half_ulp(data_type type, double value) {
    if (is_integer(type)) return 0.5;
    const precision p = precision_of(type);
    const int exponent = value == 0 ? p.lowest_exponent : std::ilogb(value);
    const double half = std::ldexp(1, std::max(exponent, p.lowest_exponent) - p.digits);
    return half > 0 ? half : std::numeric_limits<double>::denorm_min();
}

} // namespace

double score_of(data_type type, const interval &wanted, double got) {
    // As conforms() does: a destination narrower than f32, or an integer, is stored from f32.
    const bool through_f32 = type != data_type::f32 && type != data_type::f64 && !wanted.integer;
    const interval expected = through_f32 ? rounded_to_f32(wanted) : wanted;
    const double bound = std::max(expected.high - expected.value, expected.value - expected.low);
    if (!std::isfinite(got) || !std::isfinite(expected.value) || !std::isfinite(bound)) return 0;
    double exact = expected.value;
    if (is_integer(type))
        exact = std::clamp(exact, lowest_of(type), highest_of(type));
    else if (std::fabs(exact) > max_finite_of(type))
        return 0;
    return std::fabs(got - exact) / (bound + half_ulp(type, exact));
}

} // namespace conformance
