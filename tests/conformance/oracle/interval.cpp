// SPDX-License-Identifier: Apache-2.0
// Interval arithmetic of the oracle and the rule of doc/numerics.md ("How a result is judged").
#include "oracle/interval.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace conformance {
namespace {

// Half the distance of f32 denormals: the rounding error of a result near zero.
const double half_denormal = std::ldexp(1.0, -150);

// NaN and infinity have no neighbourhood.
interval tidy(interval x) {
    if (!std::isfinite(x.value)) {
        x.low = x.high = x.value;
        return x;
    }
    if (std::isnan(x.low)) x.low = -INFINITY;
    if (std::isnan(x.high)) x.high = INFINITY;
    return x;
}

template <class Operation>
interval over_corners(const interval &a, const interval &b, double value, Operation op) {
    interval result(value);
    for (double x : {a.low, a.high})
        for (double y : {b.low, b.high}) {
            result.low = std::min(result.low, op(x, y));
            result.high = std::max(result.high, op(x, y));
        }
    result.any_allowed = a.any_allowed || b.any_allowed;
    result.nan_allowed = a.nan_allowed || b.nan_allowed;
    return tidy(result);
}

} // namespace

interval exact_integer(double value) {
    interval x(value);
    x.integer = true;
    return x;
}

interval united(const interval &a, const interval &b) {
    interval result = a;
    result.low = std::min(a.low, b.low);
    result.high = std::max(a.high, b.high);
    result.any_allowed = a.any_allowed || b.any_allowed;
    result.nan_allowed = a.nan_allowed || b.nan_allowed;
    return result;
}

interval widened(const interval &x, double bound) {
    interval result = x;
    result.low -= bound;
    result.high += bound;
    result.integer = false;
    return tidy(result);
}

interval rounded_to_f32(const interval &x) {
    interval result = x;
    result.integer = false;
    if (!std::isfinite(x.value) || (is_exact(x) && is_f32(x.value))) return result;
    // Beyond the range of f32 an implementation that computes in f32 has infinity, one that
    // computes in a wider type the number: what follows from either is right.
    if (std::fabs(x.value) > FLT_MAX) result.any_allowed = true;
    result.low -= u32 * std::fabs(x.low) + half_denormal;
    result.high += u32 * std::fabs(x.high) + half_denormal;
    if (result.low < -FLT_MAX) result.low = -INFINITY;
    if (result.high > FLT_MAX) result.high = INFINITY;
    return result;
}

interval add(const interval &a0, const interval &b0) {
    const interval a = rounded_to_f32(a0), b = rounded_to_f32(b0);
    return over_corners(a, b, a.value + b.value, [](double x, double y) { return x + y; });
}

interval subtract(const interval &a0, const interval &b0) {
    const interval a = rounded_to_f32(a0), b = rounded_to_f32(b0);
    return over_corners(a, b, a.value - b.value, [](double x, double y) { return x - y; });
}

interval multiply(const interval &a0, const interval &b0) {
    const interval a = rounded_to_f32(a0), b = rounded_to_f32(b0);
    interval result =
        over_corners(a, b, a.value * b.value, [](double x, double y) { return x * y; });
    // Infinity times what may be zero, of either sign.
    const auto is_open = [](const interval &infinite, const interval &x) {
        return std::isinf(infinite.value) && !is_exact(x) && x.low <= 0 && x.high >= 0;
    };
    if (is_open(a, b) || is_open(b, a)) result.any_allowed = true;
    return result;
}

interval divide(const interval &a0, const interval &b0) {
    const interval a = rounded_to_f32(a0), b = rounded_to_f32(b0);
    interval result =
        over_corners(a, b, a.value / b.value, [](double x, double y) { return x / y; });
    // The sign of a zero divisor is not fixed, nor is a quotient by what may be zero.
    if (b.low <= 0 && b.high >= 0) result.any_allowed = true;
    return result;
}

namespace {

// The larger (max) or smaller (min) operand by `pick`. An operand that is NaN, or may be, admits
// both NaN and the other operand.
template <class Pick> interval extreme(const interval &a, const interval &b, Pick pick) {
    interval result(pick(a.value, b.value));
    result.low = pick(a.low, b.low);
    result.high = pick(a.high, b.high);
    if (std::isnan(a.value)) result = b;
    if (std::isnan(b.value)) result = a;
    const auto admit = [&](const interval &other) {
        result.low = std::min(result.low, other.low);
        result.high = std::max(result.high, other.high);
    };
    if (a.nan_allowed) admit(b);
    if (b.nan_allowed) admit(a);
    // An interval does not hold "infinity or the other operand".
    const bool open = (a.nan_allowed || b.nan_allowed) && std::isinf(result.value);
    result.nan_allowed =
        std::isnan(a.value) || std::isnan(b.value) || a.nan_allowed || b.nan_allowed;
    result.any_allowed = open || a.any_allowed || b.any_allowed;
    return result;
}

} // namespace

interval maximum(const interval &a, const interval &b) {
    return extreme(
        rounded_to_f32(a), rounded_to_f32(b), [](double x, double y) { return std::max(x, y); });
}

interval minimum(const interval &a, const interval &b) {
    return extreme(
        rounded_to_f32(a), rounded_to_f32(b), [](double x, double y) { return std::min(x, y); });
}

double error_growth(double count) { return std::min(count, 2 * std::sqrt(count)) + 2; }

interval accumulator::in_f32() const {
    if (is_exact()) return interval(sum_);
    interval result =
        tidy(interval(sum_, error_growth(double(count_)) * u32 * (1 + u32) * magnitude_ +
                                half_denormal * double(count_)));
    if (magnitude_ > FLT_MAX && std::isfinite(sum_)) result.any_allowed = true;
    return result;
}

bool leaves_open(data_type type, const interval &expected) {
    if (expected.any_allowed) return true;
    if (!std::isfinite(expected.value)) return false;
    if (!is_integer(type)) return expected.low == -INFINITY && expected.high == INFINITY;
    return round_to(type, expected.low) == lowest_of(type) &&
           round_to(type, expected.high) == highest_of(type);
}

bool conforms(data_type type, const interval &expected, double got) {
    if (expected.any_allowed) return true;
    // In types without NaN it is 0 or, with either sign, the largest number.
    const double nan = round_to(type, NAN);
    const bool is_nan = std::isnan(nan) ? std::isnan(got) : std::fabs(got) == std::fabs(nan);
    if (std::isnan(expected.value)) return is_nan;
    if (expected.nan_allowed && is_nan) return true;
    const bool through_f32 = type != data_type::f32 && type != data_type::f64 && !expected.integer;
    interval wide = through_f32 ? rounded_to_f32(expected) : expected;
    if (type == data_type::e8m0 && wide.low < 0) { // which drops the sign
        const double least = wide.high < 0 ? -wide.high : 0;
        wide.high = std::max(-wide.low, wide.high);
        wide.low = least;
    }
    // Types without infinity overflow to NaN.
    const double low = round_to(type, wide.low), high = round_to(type, wide.high);
    if (std::isnan(got)) return std::isnan(low) || std::isnan(high);
    return (std::isnan(low) ? std::copysign(INFINITY, wide.low) : low) <= got &&
           got <= (std::isnan(high) ? std::copysign(INFINITY, wide.high) : high);
}

} // namespace conformance
