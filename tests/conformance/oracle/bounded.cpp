// SPDX-License-Identifier: Apache-2.0
// Propagation of error bounds.
#include "oracle/bounded.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace conformance {
namespace {

// Half the distance of f32 denormals.
const double half_denormal = std::ldexp(1.0, -150);

// A number of which nothing is known: any value, or NaN.
const bounded open(0, INFINITY);

bool is_open(const bounded &x) { return std::isinf(x.error); }

// What is infinite or NaN for certain has no neighbourhood; beyond f32 everything is open.
bounded tidy(bounded x) {
    if (std::isinf(x.value) && !(x.error < INFINITY)) return open;
    if (!std::isfinite(x.value)) return x.value;
    if (std::isnan(x.error) || std::fabs(x.value) > FLT_MAX) x.error = INFINITY;
    return x;
}

bounded rounded(bounded x) {
    if (x.error == 0 && (is_f32(x.value) || !std::isfinite(x.value))) return x;
    x.error += u32 * (std::fabs(x.value) + x.error) + half_denormal;
    return tidy(x);
}

// Errors of the factors in a product.
double product_error(const bounded &a, const bounded &b) {
    double error = 0;
    if (b.error != 0) error += std::fabs(a.value) * b.error;
    if (a.error != 0) error += std::fabs(b.value) * a.error;
    if (a.error != 0 && b.error != 0) error += a.error * b.error;
    return error;
}

// The product before its rounding. Infinity times what may be zero, or of either sign, is open.
bounded unrounded_product(const bounded &a, const bounded &b) {
    const auto decides = [](const bounded &infinite, const bounded &x) {
        return std::isinf(infinite.value) && x.error != 0 && !(std::fabs(x.value) > x.error);
    };
    const double value = a.value * b.value;
    if (std::isnan(a.value) || std::isnan(b.value)) return value;
    if (decides(a, b) || decides(b, a)) return open;
    if (!std::isfinite(value) && (std::isinf(a.value) || std::isinf(b.value))) return value;
    return {value, product_error(a, b)};
}

double logistic_of(double x) {
    return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

// An increasing function with a limit in ulp; underflow may give 0.
template <class Function> bounded increasing(const bounded &x, double ulps, Function f) {
    if (std::isnan(x.value) || is_open(x)) return x;
    const double value = f(x.value);
    const double spread = std::max(f(x.value + x.error) - value, value - f(x.value - x.error));
    return tidy({value, spread + ulps * 2 * u32 * std::fabs(value) + FLT_MIN});
}

} // namespace

bounded operator+(const bounded &a, const bounded &b) {
    return rounded(tidy({a.value + b.value, a.error + b.error}));
}

bounded operator-(const bounded &a, const bounded &b) {
    return rounded(tidy({a.value - b.value, a.error + b.error}));
}

bounded operator*(const bounded &a, const bounded &b) {
    return rounded(tidy(unrounded_product(a, b)));
}

bounded logistic(const bounded &x) { return increasing(x, 2, logistic_of); }

bounded tangent(const bounded &x) {
    return increasing(x, 2, [](double v) { return std::tanh(v); });
}

bounded leaky(const bounded &x, double alpha) {
    if (std::isnan(x.value) || is_open(x)) return x;
    const auto f = [&](double v) { return v > 0 ? v : v == 0 ? 0 : alpha * v; };
    const double value = f(x.value), low = f(x.value - x.error), high = f(x.value + x.error);
    const double least = std::min(low, high), most = std::max(low, high);
    const bool through_zero = std::fabs(x.value) < x.error;
    const double down = value - (through_zero ? std::min(least, 0.0) : least);
    return rounded(tidy({value, std::max(most - value, down)}));
}

bounded leaky_slope(const bounded &x, double alpha) {
    if (std::isnan(x.value) || is_open(x)) return open;
    const double slope = x.value > 0 ? 1 : alpha;
    return {slope, std::fabs(x.value) < x.error ? std::fabs(1 - alpha) : 0};
}

bounded held(const bounded &x, data_type type) {
    const double stored = round_to(type, x.value);
    if (!std::isfinite(x.value) || (x.error == 0 && stored == x.value)) return x;
    if (!std::isfinite(stored)) return {x.value, INFINITY};
    const double low = round_to(type, x.value - x.error), high = round_to(type, x.value + x.error);
    bounded result = x;
    result.error = std::max({x.error, x.value - low, high - x.value});
    return tidy(result);
}

bounded quantized_to(const bounded &x, data_type type, double scale, double shift) {
    const bounded scaled = x * scale + shift;
    const double value = round_to(type, scaled.value);
    const double low = round_to(type, scaled.value - scaled.error);
    const double high = round_to(type, scaled.value + scaled.error);
    return {value, std::max(high - value, value - low)};
}

interval interval_of(const bounded &x) {
    interval result(x.value);
    if (!std::isfinite(x.value)) return result;
    result.any_allowed = !std::isfinite(x.error) || std::fabs(x.value) + x.error > FLT_MAX;
    result.low -= x.error;
    result.high += x.error;
    return result;
}

// A factor that is, or may be, small enough to count as zero.
bounded bounded_sum::flushed(const bounded &x) const {
    const double size = std::fabs(x.value);
    if (!(size - x.error < vanishing_)) return x;
    return {x.value, std::max(x.error, std::min(size, vanishing_))};
}

void bounded_sum::add(const bounded &a0, const bounded &b0) {
    const bounded a = flushed(a0), b = flushed(b0);
    const bounded product = tidy(unrounded_product(a, b));
    exact_.add(product.value);
    error_ += product.error;
}

bounded bounded_sum::in_f32() const {
    const double value = exact_.value();
    if (error_ == 0 && exact_.is_exact()) return value;
    if (std::isnan(value)) return value;
    if (std::isinf(error_)) return open;
    if (std::isinf(value)) return value;
    const double growth = error_growth(double(exact_.count())) * u32 * (1 + u32);
    if (exact_.magnitude() > FLT_MAX && std::isfinite(value)) return {value, INFINITY};
    const double step = std::max(half_denormal, vanishing_) * double(exact_.count());
    return tidy({value, error_ + growth * (exact_.magnitude() + error_) + step});
}

} // namespace conformance
