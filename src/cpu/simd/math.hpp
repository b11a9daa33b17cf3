// SPDX-License-Identifier: Apache-2.0
// Elementary functions on f32 vectors, within the limits of doc/numerics.md (1 to 4 units in the
// last place of the true value, tails included). NaN propagates, subnormal values are kept. V is
// always vec<f32, Isa>; arguments called `low` are what rounding took off the argument before them.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

// c[0] + c[1] x + ... + c[N-1] x^(N-1)
template <class Isa, int N>
DNNL_INLINE vec<f32, Isa> polynomial(vec<f32, Isa> x, const f32 (&c)[N]) {
    using v = vec<f32, Isa>;
    v sum = v::set(c[N - 1]);
#pragma GCC unroll 16
    for (int i = N - 2; i >= 0; --i) sum = multiply_accumulate(sum, x, v::set(c[i]));
    return sum;
}

// The lanes that are infinite, or 0 where Zeros.
template <bool Zeros, class Isa, class V = vec<f32, Isa>> DNNL_INLINE mask<Isa> is_special(V x) {
#if defined(__AVX512DQ__)
    return {_mm512_fpclass_ps_mask(x.v, Zeros ? 0x1e : 0x18)};
#else
    const mask<Isa> infinite = abs(x) == V::set(__builtin_inff());
    return Zeros ? infinite | (x == V::zero()) : infinite;
#endif
}

// 1 / sqrt(x), 1 ulp. Where vectors have 512 bits an estimate of 14 bits is improved.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V inverse_sqrt(V x) {
#if defined(__AVX512DQ__)
    const V r {_mm512_rsqrt14_ps(x.v)}, rest = fnma(x * r, r, V::set(1.0f));
    return select(is_special<true, Isa>(x), r, fma(r * V::set(0.5f), rest, r));
#else
    return V::set(1.0f) / sqrt(x);
#endif
}

// 2^n for -126 <= n <= 127
template <class Isa> DNNL_INLINE vec<f32, Isa> power_of_two(vec<s32, Isa> n) {
    return as_f32(shift_left<23>(n + vec<s32, Isa>::set(127)));
}

// 2^n as a factor, for whole numbers -252 <= n <= 254: a product with it is rounded once, also
// where 2^n itself is no normal number.
template <class Isa, int Bytes = Isa::vector_bytes> struct binary_power {
    vec<f32, Isa> first, second;
    DNNL_INLINE explicit binary_power(vec<f32, Isa> n) {
        const vec<s32, Isa> whole = to_s32_round(n), half = shift_right_signed<1>(whole);
        first = power_of_two<Isa>(half);
        second = power_of_two<Isa>(whole - half);
    }
    DNNL_INLINE vec<f32, Isa> times(vec<f32, Isa> x) const { return x * first * second; }
};
#if defined(__AVX512F__)
template <class Isa> struct binary_power<Isa, 64> {
    vec<f32, Isa> n;
    DNNL_INLINE explicit binary_power(vec<f32, Isa> n) : n(n) {}
    DNNL_INLINE vec<f32, Isa> times(vec<f32, Isa> x) const { return {_mm512_scalef_ps(x.v, n.v)}; }
};
#endif

// x = n ln 2 + r, |r| <= 0.35, and e^r - 1. ln 2 is split so that n * ln2_high is exact.
// Polynomial: own Remez fit of (e^r - 1 - r) / r^2, relative error of e^r below 3.1e-9.
template <class Isa> struct exp_parts { vec<f32, Isa> n, r_exp_minus_1; };
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V nearest_power(V x) {
    return round_even(x * V::set(1.44269504f));
}
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V remainder(V x, V n) {
    const V rest = multiply_accumulate(n, V::set(-0x1.62e4p-1f), x);
    return multiply_accumulate(n, V::set(-0x1.7f7d1cp-20f), rest);
}
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V exp_minus_1_of_remainder(V r) {
    const V p = polynomial<Isa>(
        r, {0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f4p-5f, 0x1.1239eep-7f, 0x1.6a20fcp-10f});
    return multiply_accumulate(r * r, p, r);
}
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE exp_parts<Isa> split_exp(V x) {
    const V n = nearest_power<Isa>(x);
    return {n, exp_minus_1_of_remainder<Isa>(remainder<Isa>(x, n))};
}
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE exp_parts<Isa> split_exp(V x, V low) {
    const V n = nearest_power<Isa>(x);
    return {n, exp_minus_1_of_remainder<Isa>(remainder<Isa>(x, n) + low)};
}

// Limits x to [lowest, highest]; NaN stays NaN.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V clamp(V x, f32 lowest, f32 highest) {
    return min(V::set(highest), max(V::set(lowest), x));
}

// e^(x + low) = value * 2^n, so that further products with `value` keep their precision where e^x
// alone is subnormal. x is taken as -170 below that: there e^x counts as 0.
template <class Isa> struct scaled_number {
    vec<f32, Isa> value;
    binary_power<Isa> power;
    DNNL_INLINE vec<f32, Isa> number() const { return power.times(value); }
};
template <class Isa> DNNL_INLINE scaled_number<Isa> scaled(const exp_parts<Isa> &e) {
    return {e.r_exp_minus_1 + vec<f32, Isa>::set(1.0f), binary_power<Isa>(e.n)};
}
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE scaled_number<Isa> exp_scaled(V x) {
    return scaled(split_exp<Isa>(clamp<Isa>(x, -170.0f, 89.0f)));
}
template <class Isa, class V = vec<f32, Isa>>
DNNL_INLINE scaled_number<Isa> exp_scaled(V x, V low) {
    const V bounded = clamp<Isa>(x, -170.0f, 89.0f);
    return scaled(split_exp<Isa>(bounded, select(x == bounded, low, V::zero())));
}
// e^-|x|, e^-(|x + low|)
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE scaled_number<Isa> falling_exp(V x) {
    return scaled(split_exp<Isa>(max(V::set(-170.0f), -abs(x))));
}
template <class Isa, class V = vec<f32, Isa>>
DNNL_INLINE scaled_number<Isa> falling_exp(V x, V low) {
    const auto positive = x > V::zero();
    return exp_scaled<Isa>(select(positive, -x, x), select(positive, -low, low));
}

// e^(x + low): 1 ulp; overflows to infinity and underflows through subnormal values to 0.
template <class Isa> DNNL_INLINE vec<f32, Isa> exp(vec<f32, Isa> x) {
    return exp_scaled<Isa>(x).number();
}
template <class Isa> DNNL_INLINE vec<f32, Isa> exp(vec<f32, Isa> x, vec<f32, Isa> low) {
    return exp_scaled<Isa>(x, low).number();
}

// e^x for x <= 0, as exp() by fewer instructions.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V exp_nonpositive(V x) {
    return scaled(split_exp<Isa>(max(V::set(-170.0f), x))).number();
}

// e^x - 1 for x <= 80: 2 ulp.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V expm1(V x) {
    const exp_parts<Isa> e = split_exp<Isa>(max(V::set(-30.0f), x));
    const V scale = power_of_two<Isa>(to_s32_round(e.n));
    return multiply_accumulate(scale, e.r_exp_minus_1, scale - V::set(1.0f));
}

// ln x as n ln 2 + f + small for positive finite x = 2^n (1 + f), -0.25 <= f < 0.5: n_ln2 is exact,
// small holds the rest of n ln 2 and -f^2/2 + f^3 P(f).
// Own Remez fit of P(f) = (ln(1+f) - f + f^2/2) / f^3, error 4.9e-9.
template <class Isa> struct log_parts { vec<f32, Isa> n_ln2, f, small; };
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE log_parts<Isa> split_log(V x) {
    using i = vec<s32, Isa>;
    const auto subnormal = x < V::set(0x1p-126f);
    const i bits = as_s32(select(subnormal, x * V::set(0x1p25f), x));
    const i exponent = shift_right_signed<23>(bits - i::set(0x3f400000));
    const V f = as_f32(bits - shift_left<23>(exponent)) - V::set(1.0f);
    const V n = to_f32(exponent) - select(subnormal, V::set(25.0f), V::zero());
    const V p = polynomial<Isa>(f, {0.333334494f, -0.250000977f, 0.199908505f, -0.166472177f,
                                       0.144783607f, -0.131622304f, 0.104656659f, -0.0450943021f});
    const V f2 = f * f;
    const V small = fma(f2 * f, p, fma(n, V::set(0x1.7f7d1cp-20f), V::set(-0.5f) * f2));
    return {n * V::set(0x1.62e4p-1f), f, small};
}

// Returns `result` where x is positive and finite, and ln x at 0, infinity, NaN and below 0.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V log_or_special(V x, V result) {
    const V infinity = V::set(__builtin_inff());
    const V special = select(x == V::zero(), -infinity, V::set(__builtin_nanf("")));
    return select(x > V::zero(), select(x == infinity, x, result), select(is_nan(x), x, special));
}

// ln x: 1 ulp; -infinity at 0, NaN below.
template <class Isa> DNNL_INLINE vec<f32, Isa> log(vec<f32, Isa> x) {
    const log_parts<Isa> parts = split_log<Isa>(x);
    return log_or_special<Isa>(x, parts.n_ln2 + (parts.f + parts.small));
}

// An estimate of 1 / x for 1 <= x <= 2, exact at both ends and up to 13 % too large between them.
// It multiplies terms of the size of a rounding error, which matter next to the ends only.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V rough_reciprocal(V x) {
    return fma(V::set(-0.5f), x, V::set(1.5f));
}

// ln(1 + x) for 0 <= x <= 1 as 2 artanh s = 2 s (1 + s^2 P(s^2)), s = x / (2 + x): 2 ulp. Own fit
// that minimises squares, error 1.2e-10.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V log1p_up_to_1(V x) {
    const V two = V::set(2.0f), first = x * (two / (two + x)), s = V::set(0.5f) * first, z = s * s;
    const V p =
        polynomial<Isa>(z, {0.333333373f, 0.199994773f, 0.143074855f, 0.107234821f, 0.121163592f});
    return multiply_accumulate(first * z, p, first);
}

// tanh x = t / (t + 2) with t = e^(2x) - 1, and its series below 3/8: 2 ulp.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V tanh_by_formula(V x) {
    const V magnitude = min(V::set(10.0f), abs(x));
    const V t = expm1<Isa>(magnitude + magnitude);
    const V x2 = magnitude * magnitude;
    const V series = polynomial<Isa>(x2,
        {-1.0f / 3, 2.0f / 15, -17.0f / 315, 62.0f / 2835, -1382.0f / 155925, 21844.0f / 6081075});
    const V small = multiply_accumulate(x2 * magnitude, series, magnitude);
    const V large = t / (t + V::set(2.0f));
    return copy_sign(select(magnitude < V::set(0.375f), small, large), x);
}

// 1 / (1 + e^-(x + low)): 2 ulp, also where the result is tiny; e is e^-|x + low|.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V logistic_from(V x, V e) {
    const V one = V::set(1.0f), sum = one + e, lost = e - (sum - one);
    const V quotient = select(x > V::zero(), one, e) / sum;
    return fnma(quotient * lost, rough_reciprocal<Isa>(sum), quotient);
}
template <class Isa> DNNL_INLINE vec<f32, Isa> logistic(vec<f32, Isa> x) {
    return logistic_from<Isa>(x, falling_exp<Isa>(x).number());
}
template <class Isa> DNNL_INLINE vec<f32, Isa> logistic(vec<f32, Isa> x, vec<f32, Isa> low) {
    return logistic_from<Isa>(x, falling_exp<Isa>(x, low).number());
}

// 1 / (1 + e^-u) and 1 / (1 + e^u), e being e^-|u|: 3 ulp.
template <class Isa> struct logistic_gates { vec<f32, Isa> rising, falling; };
template <class Isa, class V = vec<f32, Isa>>
DNNL_INLINE logistic_gates<Isa> logistic_gates_from(V u, V e) {
    const V larger = V::set(1.0f) / (V::set(1.0f) + e), smaller = e * larger;
    const auto positive = u > V::zero();
    return {select(positive, larger, smaller), select(positive, smaller, larger)};
}

// x / (1 + e^-(u + low)): 3 ulp, also where the second factor is subnormal; 0 at u = -infinity; e
// is e^-|u + low|.
template <class Isa, class V = vec<f32, Isa>>
DNNL_INLINE V times_logistic_from(V x, V u, const scaled_number<Isa> &e) {
    const auto positive = u > V::zero();
    const V one = V::set(1.0f), gate = select(positive, one, e.value) / (e.number() + one);
    const V product = x * gate;
    const V result = select(positive, product, e.power.times(product));
    return select(u < V::set(-170.0f), -V::zero(), result);
}
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V times_logistic(V x, V u) {
    return times_logistic_from<Isa>(x, u, falling_exp<Isa>(u));
}
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V times_logistic(V x, V u, V low) {
    return times_logistic_from<Isa>(x, u, falling_exp<Isa>(u, low));
}

// a * b as a rounded product and what rounding took off.
template <class Isa> struct exact_product { vec<f32, Isa> high, low; };
template <class Isa, class V = vec<f32, Isa>>
DNNL_INLINE exact_product<Isa> multiply_exactly(V a, V b) {
    const V high = a * b, low = fma(a, b, -high);
    return {high, select(abs(high) < V::set(__builtin_inff()), low, V::zero())};
}

// ln(1 + e^x), ln(1 + e^(alpha x)) / alpha: 4 ulp.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V soft_relu(V x) {
    return max(V::zero(), x) + log1p_up_to_1<Isa>(falling_exp<Isa>(x).number());
}
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V soft_relu(V x, V alpha) {
    const exact_product<Isa> p = multiply_exactly<Isa>(alpha, x);
    const V tail = log1p_up_to_1<Isa>(falling_exp<Isa>(p.high, p.low).number()) / alpha;
    return select(p.high > V::zero(), x + tail, tail);
}

// x / (1 + e^(-alpha x)): 4 ulp; 0 at -infinity.
template <class Isa> DNNL_INLINE vec<f32, Isa> swish(vec<f32, Isa> x, vec<f32, Isa> alpha) {
    const exact_product<Isa> p = multiply_exactly<Isa>(alpha, x);
    return times_logistic<Isa>(x, p.high, p.low);
}

// x tanh(ln(1 + e^x)) = x n / (n + 2) with n = e^x (e^x + 2): 4 ulp; 0 at -infinity.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V mish(V x) {
    const V two = V::set(2.0f);
    const scaled_number<Isa> e = scaled(split_exp<Isa>(clamp<Isa>(x, -170.0f, 30.0f)));
    const V number = e.number(), sum = number + two; // e^x + 2
    const V gate = e.value * (sum / multiply_accumulate(number, sum, two));
    return select(x < V::set(-170.0f), -V::zero(), e.power.times(x * gate));
}

// u = 2 sqrt(2/pi) (x + 0.044715 x^3) = x (c1 + c2 x^2) in twice the precision, |x| <= 40.
template <class Isa, class V = vec<f32, Isa>>
DNNL_INLINE exact_product<Isa> gelu_tanh_argument(V x) {
    // c1 = 2 sqrt(2/pi), c2 = 0.044715 c1
    const V c1 = V::set(0x1.988454p+0f), c1_low = V::set(-0x1.857936p-25f);
    const V c2 = V::set(0x1.2444f2p-4f), c2_low = V::set(0x1.49b16ap-29f);
    const exact_product<Isa> square = multiply_exactly<Isa>(x, x);
    const exact_product<Isa> cubic = multiply_exactly<Isa>(c2, square.high);
    const V cubic_low = cubic.low + fma(c2, square.low, c2_low * square.high);
    const V sum = c1 + cubic.high;
    const V larger = max(c1, cubic.high), smaller = min(c1, cubic.high);
    const V sum_low = (smaller - (sum - larger)) + (c1_low + cubic_low);
    const exact_product<Isa> u = multiply_exactly<Isa>(x, sum);
    return {u.high, fma(x, sum_low, u.low)};
}

// x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 = x * logistic(u): 4 ulp.
template <class Isa> DNNL_INLINE vec<f32, Isa> gelu_tanh(vec<f32, Isa> x) {
    const exact_product<Isa> u = gelu_tanh_argument<Isa>(clamp<Isa>(x, -40.0f, 40.0f));
    return times_logistic<Isa>(x, u.high, u.low);
}

// factor times the normal distribution function at -t, 0 <= t <= 14.5: factor e^(-t^2/2) R(t); 3
// ulp. (t + c) R(t) is a polynomial in q = (t - c) / (t + c) with c = 3.375: own Remez fit, error
// 2.6e-9. What rounding takes off 1 / (t + c) is added to q and to the product. `exponential` is
// e^(-t^2/2).
template <class Isa> struct normal_values { vec<f32, Isa> tail, exponential; };
template <class Isa, class V = vec<f32, Isa>>
DNNL_INLINE normal_values<Isa> normal_values_at(V factor, V t) {
    const V one = V::set(1.0f), shift = V::set(3.375f), sum = t + shift, w = one / sum;
    const V lost = fnma(w, t - (sum - shift), fnma(w, sum, one)); // 1 / (t + c) = w (1 + lost)
    const V twice = t + t, q = fma(twice * lost, w, fma(twice, w, -one));
    const V p = polynomial<Isa>(q, {0.741080279f, -0.5529922116f, 0.2953759747f, -0.09838448511f,
                                       0.008718703043f, 0.007825174444f, -0.0022495341f,
                                       -0.0008492516653f, 0.0003075824635f, 0.0001337758547f});
    const V square = t * t, half = V::set(-0.5f), low = fma(t, t, -square);
    const exp_parts<Isa> e = split_exp<Isa>(half * square, half * low);
    const binary_power<Isa> power(e.n);
    const V product = p * (w * factor);
    return {power.times(fma(e.r_exp_minus_1 + lost, product, product)),
        power.times(one + e.r_exp_minus_1)};
}

// x (1 + erf(x / sqrt 2)) / 2: 4 ulp; 0 at -infinity.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V gelu_erf(V x) {
    const V one = V::set(1.0f), bounded = max(V::set(-14.5f), x);
    const auto positive = x > V::zero();
    const V tail =
        normal_values_at<Isa>(select(positive, one, bounded), min(V::set(14.5f), abs(bounded)))
            .tail;
    return select(positive, x * (one - tail), tail);
}

// beta ln |x| in more than single precision.
template <class Isa, class V = vec<f32, Isa>>
DNNL_INLINE exact_product<Isa> power_exponent(V x, f32 beta) {
    const V magnitude = abs(x), power = V::set(beta);
    const log_parts<Isa> parts = split_log<Isa>(magnitude);
    const V sum = parts.n_ln2 + parts.f, f_part = sum - parts.n_ln2;
    const V lost = (parts.n_ln2 - (sum - f_part)) + (parts.f - f_part) + parts.small;
    const V high = sum + lost, low = lost - (high - sum);
    const auto ordinary = (magnitude > V::zero()) & (magnitude < V::set(__builtin_inff()));
    const exact_product<Isa> product =
        multiply_exactly<Isa>(power, log_or_special<Isa>(magnitude, high));
    return {product.high, select(ordinary, fma(power, low, product.low), V::zero())};
}

// x^beta from |x|^beta, as C's pow.
template <class Isa, class V = vec<f32, Isa>>
DNNL_INLINE V signed_power(V x, f32 beta, V magnitude) {
    const V power = V::set(beta);
    const auto integer = truncate(power) == power;
    const auto odd = integer & (truncate(power * V::set(0.5f)) != power * V::set(0.5f));
    const auto negative = as_s32(x) < vec<s32, Isa>::zero();
    const V result = select(odd & negative, -magnitude, magnitude);
    const auto no_result = (x < V::zero()) & (x > V::set(-__builtin_inff())) & ~integer;
    return select(no_result, V::set(__builtin_nanf("")), result);
}

// x^beta as C's pow, beta finite: 3 ulp.
template <class Isa> DNNL_INLINE vec<f32, Isa> pow_general(vec<f32, Isa> x, f32 beta) {
    const exact_product<Isa> e = power_exponent<Isa>(x, beta);
    return signed_power<Isa>(x, beta, exp<Isa>(e.high, e.low));
}

} // namespace dnnl::impl::cpu
