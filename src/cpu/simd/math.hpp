// SPDX-License-Identifier: Apache-2.0
// Elementary functions on f32 vectors, within the limits of doc/numerics.md (1 to 4 units in the
// last place of the true value, tails included). NaN propagates, subnormal values are kept.
// Arguments called `low` are what rounding took off the argument before them.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

// c[0] + c[1] x + ... + c[N-1] x^(N-1)
template <class Isa, int N>
DNNL_INLINE vec<f32, Isa> polynomial(vec<f32, Isa> x, const f32 (&c)[N]) {
    using v = vec<f32, Isa>;
    v sum = v::set(c[N - 1]);
#pragma GCC unroll 16
    for (int i = N - 2; i >= 0; --i) sum = fma(sum, x, v::set(c[i]));
    return sum;
}

// 2^n for -126 <= n <= 127
template <class Isa> DNNL_INLINE vec<f32, Isa> power_of_two(vec<s32, Isa> n) {
    return as_f32(shift_left<23>(n + vec<s32, Isa>::set(127)));
}

// x * 2^n, rounded once, for -252 <= n <= 254
template <class Isa> DNNL_INLINE vec<f32, Isa> scale_by_power(vec<f32, Isa> x, vec<s32, Isa> n) {
    const vec<s32, Isa> half = shift_right_signed<1>(n);
    return x * power_of_two<Isa>(half) * power_of_two<Isa>(n - half);
}

// x = n ln 2 + r, |r| <= 0.35, and e^r - 1. ln 2 is split so that n * ln2_high is exact.
// Polynomial: own Remez fit of (e^r - 1 - r) / r^2, relative error of e^r below 3.1e-9.
template <class Isa> struct exp_parts {
    vec<s32, Isa> n;
    vec<f32, Isa> r_exp_minus_1;
};
template <class Isa> DNNL_INLINE exp_parts<Isa> split_exp(vec<f32, Isa> x, vec<f32, Isa> low) {
    using v = vec<f32, Isa>;
    const v n = round_even(x * v::set(1.44269504f));
    v r = fnma(n, v::set(0x1.62e4p-1f), x);
    r = fnma(n, v::set(0x1.7f7d1cp-20f), r) + low;
    const v p = polynomial<Isa>(
        r, {0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f4p-5f, 0x1.1239eep-7f, 0x1.6a20fcp-10f});
    return {to_s32_round(n), fma(r * r, p, r)};
}

// Keeps x within [lowest, highest]; NaN stays NaN.
template <class Isa> DNNL_INLINE vec<f32, Isa> clamp(vec<f32, Isa> x, f32 lowest, f32 highest) {
    using v = vec<f32, Isa>;
    return min(v::set(highest), max(v::set(lowest), x));
}

// factor * e^(x + low) = value * scale, scale = 2^(a whole number), so that further products with
// `value` keep their precision where e^x alone is subnormal. e^x counts as 0 below x = -170.
template <class Isa> struct scaled_number { vec<f32, Isa> value, scale; };
template <class Isa>
DNNL_INLINE scaled_number<Isa> times_exp(vec<f32, Isa> factor, vec<f32, Isa> x, vec<f32, Isa> low) {
    using v = vec<f32, Isa>;
    using i = vec<s32, Isa>;
    const v bounded = clamp<Isa>(x, -170.0f, 89.0f);
    const exp_parts<Isa> e = split_exp<Isa>(bounded, select(x == bounded, low, v::zero()));
    const i half = shift_right_signed<1>(e.n);
    const v value = fma(e.r_exp_minus_1, factor, factor) * power_of_two<Isa>(half);
    const v scale = power_of_two<Isa>(e.n - half);
    return {value, select(x < v::set(-170.0f), v::zero(), scale)};
}
template <class Isa> DNNL_INLINE scaled_number<Isa> exp_scaled(vec<f32, Isa> x, vec<f32, Isa> low) {
    return times_exp<Isa>(vec<f32, Isa>::set(1.0f), x, low);
}

// e^(x + low): 1 ulp; overflows to infinity and underflows through subnormal values to 0.
template <class Isa>
DNNL_INLINE vec<f32, Isa> exp(vec<f32, Isa> x, vec<f32, Isa> low = vec<f32, Isa>::zero()) {
    const scaled_number<Isa> e = exp_scaled<Isa>(x, low);
    return e.value * e.scale;
}

// e^x - 1 for x <= 80: 2 ulp.
template <class Isa> DNNL_INLINE vec<f32, Isa> expm1(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    const exp_parts<Isa> e = split_exp<Isa>(max(v::set(-30.0f), x), v::zero());
    const v scale = power_of_two<Isa>(e.n);
    return fma(scale, e.r_exp_minus_1, scale - v::set(1.0f));
}

// ln x as n ln 2 + f + small for positive finite x = 2^n (1 + f), -0.25 <= f < 0.5: n_ln2 is exact,
// small holds the rest of n ln 2 and -f^2/2 + f^3 P(f).
// Own Remez fit of P(f) = (ln(1+f) - f + f^2/2) / f^3, error 4.9e-9.
template <class Isa> struct log_parts { vec<f32, Isa> n_ln2, f, small; };
template <class Isa> DNNL_INLINE log_parts<Isa> split_log(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    using i = vec<s32, Isa>;
    const auto subnormal = x < v::set(0x1p-126f);
    const i bits = as_s32(select(subnormal, x * v::set(0x1p25f), x));
    const i exponent = shift_right_signed<23>(bits - i::set(0x3f400000));
    const v f = as_f32(bits - shift_left<23>(exponent)) - v::set(1.0f);
    const v n = to_f32(exponent) - select(subnormal, v::set(25.0f), v::zero());
    const v p = polynomial<Isa>(f, {0.333334494f, -0.250000977f, 0.199908505f, -0.166472177f,
                                       0.144783607f, -0.131622304f, 0.104656659f, -0.0450943021f});
    const v f2 = f * f;
    const v small = fma(f2 * f, p, fma(n, v::set(0x1.7f7d1cp-20f), v::set(-0.5f) * f2));
    return {n * v::set(0x1.62e4p-1f), f, small};
}

// What ln x is where x has no logarithm of its own; `result` elsewhere.
template <class Isa>
DNNL_INLINE vec<f32, Isa> log_or_special(vec<f32, Isa> x, vec<f32, Isa> result) {
    using v = vec<f32, Isa>;
    const v infinity = v::set(__builtin_inff());
    const v special = select(x == v::zero(), -infinity, v::set(__builtin_nanf("")));
    return select(x > v::zero(), select(x == infinity, x, result), select(is_nan(x), x, special));
}

// ln x: 1 ulp; -infinity at 0, NaN below.
template <class Isa> DNNL_INLINE vec<f32, Isa> log(vec<f32, Isa> x) {
    const log_parts<Isa> parts = split_log<Isa>(x);
    return log_or_special<Isa>(x, parts.n_ln2 + (parts.f + parts.small));
}

// 1 / x for 1 <= x <= 2, exact at both ends, 13 % too large between: for terms of rounding size
// that matter only next to the ends.
template <class Isa> DNNL_INLINE vec<f32, Isa> rough_reciprocal(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    return fma(v::set(-0.5f), x, v::set(1.5f));
}

// ln(1 + x) for 0 <= x <= 1: 2 ulp.
template <class Isa> DNNL_INLINE vec<f32, Isa> log1p_up_to_1(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    const v u = x + v::set(1.0f);
    const v lost = x - (u - v::set(1.0f)); // exact
    const log_parts<Isa> parts = split_log<Isa>(u);
    return parts.n_ln2 + (parts.f + fma(lost, rough_reciprocal<Isa>(u), parts.small));
}

// tanh x = t / (t + 2) with t = e^(2x) - 1, and its series below 1/4: 2 ulp.
template <class Isa> DNNL_INLINE vec<f32, Isa> tanh(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    const v magnitude = min(v::set(10.0f), abs(x));
    const v t = expm1<Isa>(magnitude + magnitude);
    const v x2 = magnitude * magnitude;
    const v series =
        polynomial<Isa>(x2, {-1.0f / 3, 2.0f / 15, -17.0f / 315, 62.0f / 2835, -1382.0f / 155925});
    const v small = fma(x2 * magnitude, series, magnitude);
    const v large = t / (t + v::set(2.0f));
    return copy_sign(select(magnitude < v::set(0.25f), small, large), x);
}

// 1 / (1 + e^-(x + low)): 2 ulp, also where the result is tiny.
template <class Isa>
DNNL_INLINE vec<f32, Isa> logistic(vec<f32, Isa> x, vec<f32, Isa> low = vec<f32, Isa>::zero()) {
    using v = vec<f32, Isa>;
    const v one = v::set(1.0f);
    const auto positive = x > v::zero();
    const v e = exp<Isa>(select(positive, -x, x), select(positive, -low, low));
    const v sum = one + e, lost = e - (sum - one);
    const v quotient = select(positive, one, e) / sum;
    return fnma(quotient * lost, rough_reciprocal<Isa>(sum), quotient);
}

// x / (1 + e^-(u + low)): 3 ulp, also where the second factor is subnormal; 0 at u = -infinity.
template <class Isa>
DNNL_INLINE vec<f32, Isa> times_logistic(vec<f32, Isa> x, vec<f32, Isa> u, vec<f32, Isa> low) {
    using v = vec<f32, Isa>;
    const v one = v::set(1.0f);
    const auto positive = u > v::zero();
    const scaled_number<Isa> e =
        exp_scaled<Isa>(select(positive, -u, u), select(positive, -low, low));
    const v gate = select(positive, one, e.value) / fma(e.value, e.scale, one);
    const v scale = select(positive, one, e.scale);
    return select(scale == v::zero(), -v::zero(), x * gate * scale);
}

// a * b as a rounded product and what rounding took off.
template <class Isa> struct exact_product { vec<f32, Isa> high, low; };
template <class Isa>
DNNL_INLINE exact_product<Isa> multiply_exactly(vec<f32, Isa> a, vec<f32, Isa> b) {
    using v = vec<f32, Isa>;
    const v high = a * b, low = fma(a, b, -high);
    return {high, select(abs(high) < v::set(__builtin_inff()), low, v::zero())};
}

// ln(1 + e^(alpha x)) / alpha: 4 ulp.
template <class Isa> DNNL_INLINE vec<f32, Isa> soft_relu(vec<f32, Isa> x, vec<f32, Isa> alpha) {
    using v = vec<f32, Isa>;
    const exact_product<Isa> p = multiply_exactly<Isa>(alpha, x);
    const auto positive = p.high > v::zero();
    const v e =
        exp<Isa>(select(positive, -p.high, p.high), select(positive, -p.low, p.low)); // at most 1
    const v tail = log1p_up_to_1<Isa>(e) / alpha;
    return select(positive, x + tail, tail);
}

// x / (1 + e^(-alpha x)): 4 ulp; 0 at -infinity.
template <class Isa> DNNL_INLINE vec<f32, Isa> swish(vec<f32, Isa> x, vec<f32, Isa> alpha) {
    const exact_product<Isa> p = multiply_exactly<Isa>(alpha, x);
    return times_logistic<Isa>(x, p.high, p.low);
}

// x tanh(ln(1 + e^x)) = x n / (n + 2) with n = e^x (e^x + 2): 4 ulp; 0 at -infinity.
template <class Isa> DNNL_INLINE vec<f32, Isa> mish(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    const v two = v::set(2.0f);
    const scaled_number<Isa> e = exp_scaled<Isa>(min(v::set(30.0f), x), v::zero());
    const v sum = fma(e.value, e.scale, two); // e^x + 2
    const v gate = e.value * (sum / fma(e.value * e.scale, sum, two));
    return select(e.scale == v::zero(), -v::zero(), x * gate * e.scale);
}

// u = 2 sqrt(2/pi) (x + 0.044715 x^3) = x (c1 + c2 x^2) in twice the precision, |x| <= 40.
template <class Isa> DNNL_INLINE exact_product<Isa> gelu_tanh_argument(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    // c1 = 2 sqrt(2/pi), c2 = 0.044715 c1
    const v c1 = v::set(0x1.988454p+0f), c1_low = v::set(-0x1.857936p-25f);
    const v c2 = v::set(0x1.2444f2p-4f), c2_low = v::set(0x1.49b16ap-29f);
    const exact_product<Isa> square = multiply_exactly<Isa>(x, x);
    const exact_product<Isa> cubic = multiply_exactly<Isa>(c2, square.high);
    const v cubic_low = cubic.low + fma(c2, square.low, c2_low * square.high);
    const v sum = c1 + cubic.high;
    const v larger = max(c1, cubic.high), smaller = min(c1, cubic.high);
    const v sum_low = (smaller - (sum - larger)) + (c1_low + cubic_low);
    const exact_product<Isa> u = multiply_exactly<Isa>(x, sum);
    return {u.high, fma(x, sum_low, u.low)};
}

// x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 = x * logistic(u): 4 ulp.
template <class Isa> DNNL_INLINE vec<f32, Isa> gelu_tanh(vec<f32, Isa> x) {
    const exact_product<Isa> u = gelu_tanh_argument<Isa>(clamp<Isa>(x, -40.0f, 40.0f));
    return times_logistic<Isa>(x, u.high, u.low);
}

// factor times the normal distribution function at -t, t >= 0: factor e^(-t^2/2) R(t); 3 ulp.
// (t + 2) R(t) is a polynomial in q = (t-4)/(t+4): own fit for 0 <= t <= 14.5, error 6.6e-10.
template <class Isa>
DNNL_INLINE scaled_number<Isa> times_normal_tail(vec<f32, Isa> factor, vec<f32, Isa> t) {
    using v = vec<f32, Isa>;
    const v q = (t - v::set(4.0f)) / (t + v::set(4.0f));
    const v p =
        polynomial<Isa>(q, {0.5664638478f, -0.2671011979f, 0.138378881f, -0.04310708414f,
                               -0.001332720757f, 0.00944460935f, -0.004497705898f, 0.0003484338698f,
                               0.0005172741688f, -0.0001220210902f, -6.683685883e-5f});
    const v half = v::set(-0.5f);
    const exact_product<Isa> square = multiply_exactly<Isa>(t, t);
    return times_exp<Isa>(p * (factor / (t + v::set(2.0f))), half * square.high, half * square.low);
}
template <class Isa> DNNL_INLINE vec<f32, Isa> normal_tail(vec<f32, Isa> t) {
    const scaled_number<Isa> tail = times_normal_tail<Isa>(vec<f32, Isa>::set(1.0f), t);
    return tail.value * tail.scale;
}

// x (1 + erf(x / sqrt 2)) / 2: 4 ulp; 0 at -infinity. By its series below 1/2.
template <class Isa> DNNL_INLINE vec<f32, Isa> gelu_erf(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    const v one = v::set(1.0f), t = min(v::set(14.5f), abs(x));
    const auto positive = x > v::zero();
    const scaled_number<Isa> tail = times_normal_tail<Isa>(select(positive, one, -t), t);
    const v from_tail =
        select(positive, x * fnma(tail.value, tail.scale, one), tail.value * tail.scale);
    const v large = select(x < v::set(-14.5f), -v::zero(), from_tail);
    const v slope = v::set(0.398942280f) * // 1 / sqrt(2 pi)
                    polynomial<Isa>(x * x,
                        {1.0f, -1.0f / 6, 1.0f / 40, -1.0f / 336, 1.0f / 3456, -1.0f / 42240});
    const v small = x * fma(x, slope, v::set(0.5f));
    return select(abs(x) < v::set(0.5f), small, large);
}

// beta ln |x| in more than single precision.
template <class Isa> DNNL_INLINE exact_product<Isa> power_exponent(vec<f32, Isa> x, f32 beta) {
    using v = vec<f32, Isa>;
    const v magnitude = abs(x), power = v::set(beta);
    const log_parts<Isa> parts = split_log<Isa>(magnitude);
    const v sum = parts.n_ln2 + parts.f, f_part = sum - parts.n_ln2;
    const v lost = (parts.n_ln2 - (sum - f_part)) + (parts.f - f_part) + parts.small;
    const v high = sum + lost, low = lost - (high - sum);
    const auto ordinary = (magnitude > v::zero()) & (magnitude < v::set(__builtin_inff()));
    const exact_product<Isa> product =
        multiply_exactly<Isa>(power, log_or_special<Isa>(magnitude, high));
    return {product.high, select(ordinary, fma(power, low, product.low), v::zero())};
}

// x^beta from |x|^beta, as C's pow.
template <class Isa>
DNNL_INLINE vec<f32, Isa> signed_power(vec<f32, Isa> x, f32 beta, vec<f32, Isa> magnitude) {
    using v = vec<f32, Isa>;
    const v power = v::set(beta);
    const auto integer = truncate(power) == power;
    const auto odd = integer & (truncate(power * v::set(0.5f)) != power * v::set(0.5f));
    const auto negative = as_s32(x) < vec<s32, Isa>::zero();
    const v result = select(odd & negative, -magnitude, magnitude);
    const auto no_result = (x < v::zero()) & (x > v::set(-__builtin_inff())) & ~integer;
    return select(no_result, v::set(__builtin_nanf("")), result);
}

// x^beta as C's pow, beta finite: 3 ulp.
template <class Isa> DNNL_INLINE vec<f32, Isa> pow_general(vec<f32, Isa> x, f32 beta) {
    const exact_product<Isa> e = power_exponent<Isa>(x, beta);
    return signed_power<Isa>(x, beta, exp<Isa>(e.high, e.low));
}

} // namespace dnnl::impl::cpu
