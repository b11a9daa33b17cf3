// SPDX-License-Identifier: Apache-2.0
// Formulas written to be accurate in f64 everywhere, also where 1 - tanh or 1 + erf cancels.
#include "oracle/eltwise_formulas.hpp"

#include "language/usage_error.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace conformance {
namespace {

using dnnl::algorithm;

const double sqrt_half = std::sqrt(0.5);
const double sqrt_two_over_pi = std::sqrt(2 / std::acos(-1.0));
const double inverse_sqrt_two_pi = 0.5 * sqrt_two_over_pi;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
// logistic(x) * (1 - logistic(x)) without cancellation.
double logistic_slope(double x) {
    const double e = std::exp(-std::fabs(x));
    return e / ((1 + e) * (1 + e));
}
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double clamped(double x, double low, double high) {
    return std::isnan(x) ? x : std::min(high, std::max(low, x));
}

// x * g(x), where g vanishes at -infinity faster than x grows.
double times(double x, double g) { return std::isinf(x) && g == 0 ? 0.0 : x * g; }

double gelu_tanh_argument(double x) { return sqrt_two_over_pi * (x + 0.044715 * x * x * x); }

double gelu_tanh_derivative(double x) {
    if (std::isinf(x)) return x > 0 ? 1 : 0;
    const double u = gelu_tanh_argument(x), du = sqrt_two_over_pi * (1 + 0.134145 * x * x);
    return logistic(2 * u) + 2 * x * du * logistic_slope(2 * u);
}

double mish_derivative(double x) {
    if (std::isinf(x)) return x > 0 ? 1 : 0;
    const double t = std::tanh(softplus(x)), slope = 1 / std::pow(std::cosh(softplus(x)), 2);
    return t + x * slope * logistic(x);
}

double swish_derivative(double x, double alpha) {
    if (std::isinf(x) && alpha != 0) return x * alpha > 0 ? 1 : 0;
    return logistic(alpha * x) + alpha * x * logistic_slope(alpha * x);
}

double gelu_erf_derivative(double x) {
    if (std::isinf(x)) return x > 0 ? 1 : 0;
    return 0.5 * std::erfc(-x * sqrt_half) + x * inverse_sqrt_two_pi * std::exp(-0.5 * x * x);
}

double hardswish_derivative(double x, double alpha, double beta) {
    const double line = alpha * x + beta;
    if (std::isnan(line)) return line;
    return line >= 1 ? 1 : line > 0 ? 2 * alpha * x + beta : 0;
}

// Limits of doc/numerics.md ("Promises"), in units of the last place of f32; 0 means one rounding
// at most.
double limit_ulp(algorithm alg, double x, double beta) {
    switch (alg) {
    case algorithm::eltwise_exp:
    case algorithm::eltwise_log:
    case algorithm::eltwise_tanh:
    case algorithm::eltwise_logistic:
    case algorithm::eltwise_exp_use_dst_for_bwd:
    case algorithm::eltwise_tanh_use_dst_for_bwd:
    case algorithm::eltwise_logistic_use_dst_for_bwd: return 2;
    case algorithm::eltwise_elu:
    case algorithm::eltwise_elu_use_dst_for_bwd: return 3;
    case algorithm::eltwise_soft_relu:
    case algorithm::eltwise_gelu_erf:
    case algorithm::eltwise_gelu_tanh:
    case algorithm::eltwise_swish:
    case algorithm::eltwise_mish: return 4;
    case algorithm::eltwise_pow:
        for (double easy : {-1.0, -0.5, 0.5, 1.0, 2.0})
            if (beta == easy) return 2;
        return beta == 0 ? 0 : x == 0 ? 2 : 2 + 2 * std::fabs(beta * std::log(std::fabs(x)));
    default: return 0;
    }
}

bool vanishes_smoothly(algorithm alg) {
    return alg == algorithm::eltwise_exp || alg == algorithm::eltwise_logistic ||
           alg == algorithm::eltwise_gelu_erf || alg == algorithm::eltwise_gelu_tanh ||
           alg == algorithm::eltwise_swish || alg == algorithm::eltwise_mish ||
           alg == algorithm::eltwise_soft_relu;
}

interval clamped(const interval &x, double low, double high) {
    interval result = x;
    result.low = clamped(x.low, low, high);
    result.value = clamped(x.value, low, high);
    result.high = clamped(x.high, low, high);
    return result;
}

interval line(const interval &x, double alpha, double beta) {
    return add(multiply(x, alpha), beta);
}

} // namespace

double eltwise_value(algorithm alg, double x, double alpha, double beta) {
    switch (alg) {
    case algorithm::eltwise_relu:
    case algorithm::eltwise_relu_use_dst_for_bwd:
        return x > 0 ? x : alpha == 0 && !std::isnan(x) ? 0 : alpha * x;
    case algorithm::eltwise_tanh:
    case algorithm::eltwise_tanh_use_dst_for_bwd: return std::tanh(x);
    case algorithm::eltwise_elu:
    case algorithm::eltwise_elu_use_dst_for_bwd: return x > 0 ? x : alpha * std::expm1(x);
    case algorithm::eltwise_square: return x * x;
    case algorithm::eltwise_abs: return std::fabs(x);
    case algorithm::eltwise_sqrt:
    case algorithm::eltwise_sqrt_use_dst_for_bwd: return std::sqrt(x);
    case algorithm::eltwise_linear: return alpha * x + beta;
    case algorithm::eltwise_soft_relu: return softplus(alpha * x) / alpha;
    case algorithm::eltwise_hardsigmoid: return clamped(alpha * x + beta, 0, 1);
    case algorithm::eltwise_logistic:
    case algorithm::eltwise_logistic_use_dst_for_bwd: return logistic(x);
    case algorithm::eltwise_exp:
    case algorithm::eltwise_exp_use_dst_for_bwd: return std::exp(x);
    case algorithm::eltwise_gelu_tanh: return times(x, logistic(2 * gelu_tanh_argument(x)));
    case algorithm::eltwise_gelu_erf: return times(x, 0.5 * std::erfc(-x * sqrt_half));
    case algorithm::eltwise_swish: return times(x, logistic(alpha * x));
    case algorithm::eltwise_log: return std::log(x);
    case algorithm::eltwise_clip:
    case algorithm::eltwise_clip_v2:
    case algorithm::eltwise_clip_v2_use_dst_for_bwd: return clamped(x, alpha, beta);
    case algorithm::eltwise_pow: return alpha * std::pow(x, beta);
    case algorithm::eltwise_round: return std::nearbyint(x);
    case algorithm::eltwise_mish: {
        const double e = std::exp(-std::fabs(x)); // tanh(ln(1 + e^x)) as a quotient
        return times(
            x, x < 0 ? e * (e + 2) / (e * (e + 2) + 2) : (1 + 2 * e) / (1 + 2 * e + 2 * e * e));
    }
    case algorithm::eltwise_hardswish: return x * clamped(alpha * x + beta, 0, 1);
    default: throw usage_error("no formula for this eltwise algorithm");
    }
}

double eltwise_derivative(algorithm alg, double x, double alpha, double beta) {
    switch (alg) {
    case algorithm::eltwise_relu:
    case algorithm::eltwise_relu_use_dst_for_bwd: return x > 0 ? 1 : alpha;
    case algorithm::eltwise_tanh: return 4 * logistic_slope(2 * x);
    case algorithm::eltwise_tanh_use_dst_for_bwd: return (1 - x) * (1 + x);
    case algorithm::eltwise_elu: return x > 0 ? 1 : alpha * std::exp(x);
    case algorithm::eltwise_elu_use_dst_for_bwd: return x > 0 ? 1 : x + alpha;
    case algorithm::eltwise_square: return 2 * x;
    case algorithm::eltwise_abs: return std::isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : 0;
    case algorithm::eltwise_sqrt: return 0.5 / std::sqrt(x);
    case algorithm::eltwise_sqrt_use_dst_for_bwd: return 0.5 / x;
    case algorithm::eltwise_linear: return alpha;
    case algorithm::eltwise_soft_relu: return logistic(alpha * x);
    case algorithm::eltwise_hardsigmoid: {
        const double inner = alpha * x + beta;
        return inner > 0 && inner < 1 ? alpha : 0;
    }
    case algorithm::eltwise_logistic: return logistic_slope(x);
    case algorithm::eltwise_logistic_use_dst_for_bwd: return x * (1 - x);
    case algorithm::eltwise_exp: return std::exp(x);
    case algorithm::eltwise_exp_use_dst_for_bwd: return x;
    case algorithm::eltwise_gelu_tanh: return gelu_tanh_derivative(x);
    case algorithm::eltwise_gelu_erf: return gelu_erf_derivative(x);
    case algorithm::eltwise_swish: return swish_derivative(x, alpha);
    case algorithm::eltwise_log: return 1 / x;
    case algorithm::eltwise_clip: return x > alpha && x <= beta ? 1 : 0;
    case algorithm::eltwise_clip_v2:
    case algorithm::eltwise_clip_v2_use_dst_for_bwd: return x > alpha && x < beta ? 1 : 0;
    case algorithm::eltwise_pow: return beta == 0 ? 0 : alpha * beta * std::pow(x, beta - 1);
    case algorithm::eltwise_mish: return mish_derivative(x);
    case algorithm::eltwise_hardswish: return hardswish_derivative(x, alpha, beta);
    default: throw usage_error("no derivative for this eltwise algorithm");
    }
}

namespace {
// Where a function that falls before it rises has its least value; NaN for others.
double minimum_of(algorithm alg, double alpha) {
    switch (alg) {
    case algorithm::eltwise_gelu_erf: return -0.7517916;
    case algorithm::eltwise_gelu_tanh: return -0.7524614;
    case algorithm::eltwise_swish: return alpha == 0 ? NAN : -1.2784645 / alpha;
    case algorithm::eltwise_mish: return -1.1924312;
    default: return NAN;
    }
}
} // namespace

interval eltwise_forward(algorithm alg, const interval &x0, double alpha, double beta) {
    const interval x = rounded_to_f32(x0);
    switch (alg) {
    case algorithm::eltwise_linear: return line(x, alpha, beta);
    case algorithm::eltwise_hardsigmoid: return clamped(line(x, alpha, beta), 0, 1);
    case algorithm::eltwise_hardswish: {
        const interval gate = clamped(line(x, alpha, beta), 0, 1);
        interval result = multiply(x, gate);
        if (std::isinf(x.value) && gate.value == 0) { // infinity times a zero gate: 0 or NaN
            result = interval(0.0);
            result.nan_allowed = true;
            result.any_allowed = x.any_allowed;
        }
        return result;
    }
    case algorithm::eltwise_square: {
        interval result = multiply(x, x);
        result.low = std::max(result.low, 0.0);
        return result;
    }
    default: break;
    }
    interval result(eltwise_value(alg, x.value, alpha, beta));
    if (alg == algorithm::eltwise_pow && std::fabs(std::pow(x.value, beta)) > FLT_MAX)
        result.nan_allowed = true; // 0 * infinity when alpha is 0
    result.any_allowed = x.any_allowed;
    if (!std::isfinite(result.value)) {
        result.nan_allowed |= x.nan_allowed;
        return result;
    }
    if (x.nan_allowed) { // pow makes 1 of NaN where beta is 0
        const double y = eltwise_value(alg, NAN, alpha, beta);
        result.nan_allowed |= std::isnan(y);
        result.low = std::min(result.low, std::isnan(y) ? result.low : y);
        result.high = std::max(result.high, std::isnan(y) ? result.high : y);
    }
    const auto inside = [&](double point) {
        return x.low < point && point < x.high ? point : x.low;
    };
    if (x.low != x.high)
        for (double point : {x.low, x.high, inside(0), inside(minimum_of(alg, alpha))}) {
            const double y = eltwise_value(alg, point, alpha, beta);
            if (std::isnan(y)) result.nan_allowed = true;
            result.low = std::min(result.low, y);
            result.high = std::max(result.high, y);
        }
    const double limit = limit_ulp(alg, x.value, beta);
    if (limit == 0) return result;
    const double size = std::max(std::fabs(result.low), std::fabs(result.high));
    const double floor = vanishes_smoothly(alg) && size < 2 * FLT_MIN ? FLT_MIN : 0;
    return widened(result, limit * 2 * u32 * size + floor);
}

interval eltwise_backward(algorithm alg, double diff_dst, double x, double alpha, double beta) {
    const double slope = eltwise_derivative(alg, x, alpha, beta);
    if (!std::isfinite(x)) { // the derivative's own limit times an infinity is left open
        interval open(diff_dst * slope);
        open.any_allowed = true;
        return open;
    }
    const bool is_pow = alg == algorithm::eltwise_pow;
    // Where f32 cannot hold the slope, its product with the gradient is left open.
    if (!(std::fabs(slope) <= FLT_MAX) ||
        (is_pow &&
            !(std::fabs(std::pow(x, beta - 1) * std::max(1.0, std::fabs(beta))) <= FLT_MAX))) {
        interval open(diff_dst * slope);
        open.any_allowed = true;
        return open;
    }
    if (!std::isfinite(diff_dst)) {
        interval open(diff_dst * slope);
        open.nan_allowed = true;
        open.any_allowed = std::fabs(slope) < 2 * FLT_MIN; // 0 * infinity, or a selected zero
        return open;
    }
    // Condition term: |x f''(x)| by a difference quotient on both sides.
    const double step = 1e-4 * std::max(std::fabs(x), 1e-3);
    const double left = eltwise_derivative(alg, x - step, alpha, beta);
    const double right = eltwise_derivative(alg, x + step, alpha, beta);
    const bool smooth = limit_ulp(alg, x, beta) > 0 || alg == algorithm::eltwise_sqrt ||
                        alg == algorithm::eltwise_hardswish;
    double condition = smooth ? std::fabs(right - left) / (2 * step) * std::fabs(x) : 0;
    if (!std::isfinite(condition)) condition = std::fabs(slope);
    const double limit = limit_ulp(alg, x, is_pow ? beta - 1 : beta) + 2;
    const double bound = smooth ? limit * 2 * u32 * (std::fabs(slope) + condition) : 0;
    const double floor = smooth && std::fabs(slope) < 4 * FLT_MIN ? FLT_MIN : 0;
    interval derivative = widened(interval(slope), bound + floor);
    // Next to a corner of the function rounding decides which slope holds.
    if (alg == algorithm::eltwise_hardsigmoid || alg == algorithm::eltwise_hardswish) {
        const double doubt = 2 * u32 * (std::fabs(alpha * x) + std::fabs(beta));
        const double inner = alpha * x + beta;
        if (std::fabs(inner) <= doubt || std::fabs(inner - 1) <= doubt)
            for (double other : {0.0, 1.0, alpha, 2 * alpha * x + beta}) {
                derivative.low = std::min(derivative.low, other);
                derivative.high = std::max(derivative.high, other);
            }
    }
    interval result = multiply(interval(diff_dst), derivative);
    // A subnormal product is rounded before the slope's factor of two, if that comes last.
    if (std::fabs(result.value) < FLT_MIN)
        result = widened(result, smooth ? FLT_MIN : std::ldexp(1.0, -148));
    return result;
}

namespace {

// 1 where the comparison surely holds, 0 where it surely fails, both where rounding decides.
interval comparison(bool value, bool sure) {
    interval result(value ? 1.0 : 0.0);
    if (!sure) {
        result.low = 0;
        result.high = 1;
    }
    return result;
}

interval compared(algorithm alg, const interval &a, const interval &b) {
    const bool apart = a.high < b.low || b.high < a.low;
    const bool points = a.low == a.high && b.low == b.high;
    const bool open = a.any_allowed || b.any_allowed || a.nan_allowed || b.nan_allowed;
    const bool sure = !open && (apart || points || std::isnan(a.value) || std::isnan(b.value));
    const double x = a.value, y = b.value;
    switch (alg) {
    case algorithm::binary_ge: return comparison(x >= y, sure);
    case algorithm::binary_gt: return comparison(x > y, sure);
    case algorithm::binary_le: return comparison(x <= y, sure);
    case algorithm::binary_lt: return comparison(x < y, sure);
    case algorithm::binary_eq: return comparison(x == y, sure);
    default: return comparison(x != y, sure);
    }
}

} // namespace

interval binary_result(algorithm alg, const interval &a, const interval &b) {
    switch (alg) {
    case algorithm::binary_add: return add(a, b);
    case algorithm::binary_sub: return subtract(a, b);
    case algorithm::binary_mul: return multiply(a, b);
    case algorithm::binary_div: return divide(a, b);
    case algorithm::binary_max: return maximum(a, b);
    case algorithm::binary_min: return minimum(a, b);
    default: return compared(alg, rounded_to_f32(a), rounded_to_f32(b));
    }
}

} // namespace conformance
