// SPDX-License-Identifier: Apache-2.0
// Formulas of eltwise, forward and derivative. They are computed in f64, where exp and functions
// made of it neither underflow nor overflow unless the f32 result does; arguments so large that a
// formula would multiply 0 by infinity are treated first.
#include <cmath>
#include <limits>
#include <numbers>

#include "ref/epilogue.hpp"

namespace dnnl::impl::ref {

namespace {

/// 1 / (1 + e^-x). Its complement 1 - logistic(x) is logistic(-x), which cancels no digits.
double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// ln(1 + e^x).
double soft_plus(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }

double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/// gelu_tanh and its derivative take tanh of g = sqrt(2 / pi) * (s + 0.044715 s^3).
constexpr double sqrt_2_over_pi = 0.79788456080286535588, gelu_cubic = 0.044715;
double gelu_inner(double s) { return sqrt_2_over_pi * s * (1 + gelu_cubic * s * s); }
double gelu_inner_slope(double s) { return sqrt_2_over_pi * (1 + 3 * gelu_cubic * s * s); }

/// Beyond these arguments, functions such as s * logistic(s) are s or 0 in every digit of f32.
constexpr double gelu_cut = 50, swish_cut = 700;

/// s / (1 + e^-x), where s and x grow together: s for huge x, 0 for huge -x, where e^-x overflows.
double gated(double s, double x) {
    if (x > swish_cut) return s;
    if (x < -swish_cut) return s > 0 ? 0.0 : -0.0;
    return s * logistic(x);
}

double gelu_erf(double s) {
    if (s < -gelu_cut) return -0.0;
    return 0.5 * s * std::erfc(-s * std::numbers::sqrt2 / 2);
}

double gelu_erf_slope(double s) {
    if (std::fabs(s) > gelu_cut) return s > 0;
    const double density = std::exp(-s * s / 2) / std::sqrt(2 * std::numbers::pi);
    return 0.5 * std::erfc(-s * std::numbers::sqrt2 / 2) + s * density;
}

/// 1 + tanh(g) = 2 logistic(2 g), so gelu_tanh(s) = s logistic(2 g).
double gelu_tanh_slope(double s) {
    if (std::fabs(s) > gelu_cut) return s > 0;
    const double twice_g = 2 * gelu_inner(s), gate = logistic(twice_g);
    return gate + s * gate * logistic(-twice_g) * 2 * gelu_inner_slope(s);
}

double swish_slope(double s, double alpha) {
    const double x = alpha * s;
    if (std::fabs(x) > swish_cut) return x > 0;
    return logistic(x) * (1 + x * logistic(-x));
}

/// tanh(ln(1 + e)) = n / (n + 2) with n = e (e + 2), e = e^s.
double mish(double s) {
    if (s > gelu_cut) return s;
    if (s < -swish_cut) return -0.0;
    const double e = std::exp(s), n = e * (e + 2);
    return s * n / (n + 2);
}

double mish_slope(double s) {
    if (s > gelu_cut) return 1;
    if (s < -swish_cut) return 0;
    const double e = std::exp(s), n = e * (e + 2);
    return n / (n + 2) + s * logistic(s) * 4 * (n + 1) / ((n + 2) * (n + 2));
}

/// max(0, min(1, alpha s + beta)) in f32, where fma rounds the sum once.
float hard_gate(float s, float alpha, float beta) {
    const float v = std::fma(alpha, s, beta);
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

double hardswish_slope(double s, double alpha, double beta) {
    const double v = alpha * s + beta;
    return v >= 1 ? 1 : v > 0 ? 2 * alpha * s + beta : 0;
}

double forward(dnnl_alg_kind_t alg, double s, double alpha, double beta) {
    switch (static_cast<algorithm>(alg)) {
    case algorithm::relu:
    case algorithm::relu_use_dst_for_bwd: return s > 0 ? s : s < 0 && alpha == 0 ? 0 : alpha * s;
    case algorithm::tanh:
    case algorithm::tanh_use_dst_for_bwd: return std::tanh(s);
    case algorithm::elu:
    case algorithm::elu_use_dst_for_bwd: return s > 0 ? s : alpha * std::expm1(s);
    case algorithm::square: return s * s;
    case algorithm::abs: return std::fabs(s);
    case algorithm::sqrt:
    case algorithm::sqrt_use_dst_for_bwd: return std::sqrt(s);
    case algorithm::soft_relu: return soft_plus(alpha * s) / alpha;
    case algorithm::logistic:
    case algorithm::logistic_use_dst_for_bwd: return logistic(s);
    case algorithm::exp:
    case algorithm::exp_use_dst_for_bwd: return std::exp(s);
    case algorithm::gelu_tanh: return gated(s, 2 * gelu_inner(s));
    case algorithm::gelu_erf: return gelu_erf(s);
    case algorithm::swish: return gated(s, alpha * s);
    case algorithm::log: return std::log(s);
    case algorithm::clip:
    case algorithm::clip_v2:
    case algorithm::clip_v2_use_dst_for_bwd: return clamp(s, alpha, beta);
    case algorithm::pow: return alpha * std::pow(s, beta);
    case algorithm::round: return std::nearbyint(s);
    case algorithm::mish: return mish(s);
    case algorithm::linear: // eltwise_forward() has these three
    case algorithm::hardsigmoid:
    case algorithm::hardswish:
    case algorithm::undef: DNNL_CASES_OF_BINARY break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

/// f'(s); for the *_use_dst_for_bwd kinds, as a function of d = f(s).
double slope(dnnl_alg_kind_t alg, double s, double alpha, double beta) {
    const double d = s; // its name in the *_use_dst_for_bwd formulas
    switch (static_cast<algorithm>(alg)) {
    case algorithm::relu:
    case algorithm::relu_use_dst_for_bwd: return s > 0 ? 1 : alpha;
    case algorithm::tanh: return 4 * logistic(2 * s) * logistic(-2 * s);
    case algorithm::tanh_use_dst_for_bwd: return (1 - d) * (1 + d);
    case algorithm::elu: return s > 0 ? 1 : alpha * std::exp(s);
    case algorithm::elu_use_dst_for_bwd: return d > 0 ? 1 : d + alpha;
    case algorithm::square: return 2 * s;
    case algorithm::abs: return s > 0 ? 1 : s < 0 ? -1 : s;
    case algorithm::sqrt: return 1 / (2 * std::sqrt(s));
    case algorithm::sqrt_use_dst_for_bwd: return 1 / (2 * d);
    case algorithm::linear: return alpha;
    case algorithm::soft_relu: return logistic(alpha * s);
    case algorithm::hardsigmoid: {
        const double v = alpha * s + beta;
        return v > 0 && v < 1 ? alpha : 0;
    }
    case algorithm::logistic: return logistic(s) * logistic(-s);
    case algorithm::logistic_use_dst_for_bwd: return d * (1 - d);
    case algorithm::exp: return std::exp(s);
    case algorithm::exp_use_dst_for_bwd: return d;
    case algorithm::gelu_tanh: return gelu_tanh_slope(s);
    case algorithm::gelu_erf: return gelu_erf_slope(s);
    case algorithm::swish: return swish_slope(s, alpha);
    case algorithm::log: return 1 / s;
    case algorithm::clip: return s > alpha && s <= beta;
    case algorithm::clip_v2:
    case algorithm::clip_v2_use_dst_for_bwd: return s > alpha && s < beta;
    case algorithm::pow: return beta == 0 ? 0 : alpha * beta * std::pow(s, beta - 1);
    case algorithm::mish: return mish_slope(s);
    case algorithm::hardswish: return hardswish_slope(s, alpha, beta);
    case algorithm::round: // it has no gradient
    case algorithm::undef: DNNL_CASES_OF_BINARY break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

} // namespace

float eltwise_forward(dnnl_alg_kind_t alg, float s, float alpha, float beta) {
    // This one is computed in f32, so that int8 results agree with vector code bit by bit.
    if (alg == dnnl_eltwise_linear) return std::fma(alpha, s, beta);
    if (alg == dnnl_eltwise_hardsigmoid) return hard_gate(s, alpha, beta);
    if (alg == dnnl_eltwise_hardswish) return s * hard_gate(s, alpha, beta);
    return static_cast<float>(forward(alg, s, alpha, beta));
}

float eltwise_backward(dnnl_alg_kind_t alg, float dd, float data, float alpha, float beta) {
    double factor = slope(alg, data, alpha, beta);
    // The slope of gelu counts as not 0, even where it is too small for f64.
    const bool is_gelu = alg == dnnl_eltwise_gelu_erf || alg == dnnl_eltwise_gelu_tanh;
    if (is_gelu && factor == 0 && data < 0 && std::isfinite(data))
        factor = -std::numeric_limits<double>::denorm_min();
    if (factor == 0) return std::isnan(dd) ? dd : 0.0f;
    return static_cast<float>(dd * factor);
}

} // namespace dnnl::impl::ref
