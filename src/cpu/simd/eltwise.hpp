// SPDX-License-Identifier: Apache-2.0
// The eltwise and binary algorithms of the specification, and the gradients of eltwise, as
// functions on f32 vectors.
#pragma once

#include "cpu/simd/convert.hpp"
#include "cpu/simd/table_functions.hpp"

namespace dnnl::impl::cpu {

// 0 * x^beta, which is 0 where x^beta overflows, too. A function of its own, as it is rare.
template <class Isa> [[gnu::noinline]] vec<f32, Isa> zero_times_power(vec<f32, Isa> x, f32 beta) {
    const vec<f32, Isa> power = pow_general<Isa>(x, beta), zero = vec<f32, Isa>::zero();
    return select(is_special<true, Isa>(x) | is_nan(power), zero * power, zero);
}

// Calls apply(f) once with f(x) = alpha * x^beta. Exponents that need no logarithm have functions
// of their own; returns false, without a call, for others and roots unless General.
template <class Isa, bool General, class Apply>
DNNL_INLINE bool with_pow(f32 alpha, f32 beta, const Apply &apply) {
    using v = vec<f32, Isa>;
    const v scale = v::set(alpha), one = v::set(1.0f);
    const auto true_after = [&](const auto &f) __attribute__((always_inline)) {
        apply(f);
        return true;
    };
    if (beta == 0.0f) return true_after([=](v) { return scale; });
    if (alpha != 0.0f) {
        if (beta == 1.0f) return true_after([=](v x) { return scale * x; });
        if (beta == 2.0f) return true_after([=](v x) { return scale * (x * x); });
        if (beta == -1.0f) return true_after([=](v x) { return scale * (one / x); });
        if (General && beta == 0.5f)
            return true_after([=](v x) {
                const v root = sqrt(x + v::zero()); // +0 for -0
                return scale * select(x == v::set(-__builtin_inff()), -x, root);
            });
        if (General && beta == -0.5f)
            return true_after([=](v x) {
                const v root = sqrt(x + v::zero());
                return scale * select(x == v::set(-__builtin_inff()), v::zero(), one / root);
            });
    }
    if constexpr (General)
        alpha == 0.0f ? apply([=](v x) { return zero_times_power<Isa>(x, beta); })
                      : apply([=](v x) { return scale * pow_general<Isa>(x, beta); });
    return General;
}

// Products with a power of two are exact but for subnormal numbers and overflow.
DNNL_INLINE constexpr bool is_exact_factor(f32 x) {
    const auto bits = __builtin_bit_cast(std::uint32_t, x);
    return (bits & 0x7fffff) == 0 && x >= 0x1p-10f && x <= 0x1p10f;
}

// Which functions a loop has: those of few instructions, all but general powers, all.
enum class functions { few, no_powers, all };

// Calls apply(f) once with f(x) = the algorithm. Returns false, without a call, for algorithms that
// are not among these functions or not forward ones.
template <class Isa, functions Which = functions::all, class Apply>
DNNL_INLINE bool with_eltwise(algorithm alg, f32 alpha, f32 beta, const Apply &apply) {
    using v = vec<f32, Isa>;
    const v a = v::set(alpha), b = v::set(beta), zero = v::zero(), one = v::set(1.0f);
    const auto many = [&](const auto &f) __attribute__((always_inline)) {
        if constexpr (Which != functions::few) apply(f);
        return Which != functions::few;
    };
    switch (alg) {
    case algorithm::relu:
        if (alpha == 0.0f)
            apply([=](v x) { return max(zero, x); }); // NaN is the second operand, so it stays
        else
            apply([=](v x) { return select(x > zero, x, a * x); });
        break;
    case algorithm::square: apply([](v x) { return x * x; }); break;
    case algorithm::abs: apply([](v x) { return abs(x); }); break;
    case algorithm::sqrt: apply([](v x) { return sqrt(x); }); break;
    case algorithm::linear: apply([=](v x) { return fma(a, x, b); }); break;
    case algorithm::hardsigmoid:
        apply([=](v x) { return min(one, max(zero, fma(a, x, b))); });
        break;
    case algorithm::clip:
    case algorithm::clip_v2: apply([=](v x) { return min(b, max(a, x)); }); break;
    case algorithm::round: apply([](v x) { return round_even(x); }); break;
    case algorithm::hardswish:
        apply([=](v x) { return x * min(one, max(zero, fma(a, x, b))); });
        break;
    case algorithm::tanh: return many([](v x) { return tanh<Isa>(x); });
    case algorithm::elu:
        return many([=](v x) { return select(x > zero, x, a * expm1<Isa>(min(zero, x))); });
    case algorithm::soft_relu:
        if (is_exact_factor(alpha))
            return many([=](v x) { return soft_relu<Isa>(a * x) * v::set(1 / alpha); });
        return many([=](v x) { return soft_relu<Isa>(x, a); });
    case algorithm::logistic: return many([](v x) { return logistic<Isa>(x); });
    case algorithm::exp: return many([](v x) { return exp<Isa>(x); });
    case algorithm::gelu_tanh: return many([](v x) { return gelu<gelu_kind::tanh>(x); });
    case algorithm::gelu_erf: return many([](v x) { return gelu<gelu_kind::erf>(x); });
    case algorithm::swish:
        if (is_exact_factor(alpha)) return many([=](v x) { return times_logistic<Isa>(x, a * x); });
        return many([=](v x) { return swish<Isa>(x, a); });
    case algorithm::log: return many([](v x) { return log<Isa>(x); });
    case algorithm::mish: return many([](v x) { return mish<Isa>(x); });
    case algorithm::pow:
        if constexpr (Which == functions::few) return false;
        return with_pow<Isa, Which == functions::all>(alpha, beta, apply);
    case algorithm::undef: DNNL_CASES_OF_DST DNNL_CASES_OF_BINARY return false;
    }
    return true;
}

// Calls apply(f) once with f(x, y) = the binary algorithm; returns false when it is another one.
// s32 has no division.
template <class Isa, class Value = f32, class Apply>
DNNL_INLINE bool with_binary(algorithm alg, const Apply &apply) {
    using v = vec<Value, Isa>;
    const v zero = v::zero(), one = v::set(1);
    switch (alg) {
    case algorithm::binary_add: apply([](v x, v y) { return x + y; }); break;
    case algorithm::binary_mul: apply([](v x, v y) { return x * y; }); break;
    case algorithm::binary_max: apply([](v x, v y) { return max(x, y); }); break;
    case algorithm::binary_min: apply([](v x, v y) { return min(x, y); }); break;
    case algorithm::binary_div:
        if constexpr (!is_whole<Value>) apply([](v x, v y) { return x / y; });
        break;
    case algorithm::binary_sub: apply([](v x, v y) { return x - y; }); break;
    case algorithm::binary_ge: apply([=](v x, v y) { return select(x >= y, one, zero); }); break;
    case algorithm::binary_gt: apply([=](v x, v y) { return select(x > y, one, zero); }); break;
    case algorithm::binary_le: apply([=](v x, v y) { return select(x <= y, one, zero); }); break;
    case algorithm::binary_lt: apply([=](v x, v y) { return select(x < y, one, zero); }); break;
    case algorithm::binary_eq: apply([=](v x, v y) { return select(x == y, one, zero); }); break;
    case algorithm::binary_ne: apply([=](v x, v y) { return select(x != y, one, zero); }); break;
    case algorithm::undef:
    case algorithm::binary_select: DNNL_CASES_OF_ELTWISE DNNL_CASES_OF_DST return false;
    }
    return true;
}

// ---- Backward: diff_src = gradient * f'(x), x being src or, for *_use_dst_for_bwd, dst ----
//
// Forms without cancellation where f' has none, and without overflow of f' where the product has
// none (doc/numerics.md).

// logistic(x) * logistic(-x)
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V logistic_slope(V x) {
    const V e = falling_exp<Isa>(x).number(), sum = V::set(1.0f) + e;
    return e / (sum * sum);
}

// gate (1 + alpha s (1 - gate)) with gate = logistic(alpha s)
template <class Isa, class V = vec<f32, Isa>>
DNNL_INLINE V swish_slope_from(V u, const scaled_number<Isa> &e) {
    const logistic_gates<Isa> g = logistic_gates_from<Isa>(u, e.number());
    return g.rising * fma(clamp<Isa>(u, -110.0f, 110.0f), g.falling, V::set(1.0f));
}
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V swish_slope(V s) {
    return swish_slope_from<Isa>(s, falling_exp<Isa>(s));
}
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V swish_slope(V s, V alpha) {
    const exact_product<Isa> p = multiply_exactly<Isa>(alpha, s);
    return swish_slope_from<Isa>(p.high, falling_exp<Isa>(p.high, p.low));
}

// n / (n + 2) + s logistic(s) 4 (n + 1) / (n + 2)^2 with n = e^s (e^s + 2)
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V mish_slope(V s) {
    const V two = V::set(2.0f), x = clamp<Isa>(s, -100.0f, 30.0f);
    const V e = scaled(split_exp<Isa>(x)).number(), n = e * (e + two), m = n + two;
    const V gate = e / (e + V::set(1.0f));
    return fma(x * gate, V::set(4.0f) * (n + V::set(1.0f)) / (m * m), n / m);
}

// factor * e^(x + low), rounded like a product although e^x alone may over- or underflow. Beyond
// e^709, the range of f64, e^x counts as infinite. An infinite factor stays what it is, but for
// e^-infinity, where the result is 0.
template <class Isa>
DNNL_INLINE vec<f32, Isa> exp_times(
    vec<f32, Isa> factor, vec<f32, Isa> x, vec<f32, Isa> low = vec<f32, Isa>::zero()) {
    using v = vec<f32, Isa>;
    const v infinity = v::set(__builtin_inff());
    const exp_parts<Isa> e = split_exp<Isa>(clamp<Isa>(x, -174.0f, 176.0f), low);
    if (__builtin_expect(all(abs(x) < v::set(80.0f)), 1)) return factor * scaled(e).number();
    const vec<s32, Isa> n = to_s32_round(e.n), half = shift_right_signed<1>(n);
    const v part = factor * power_of_two<Isa>(half) * (e.r_exp_minus_1 + v::set(1.0f));
    const v result = part * power_of_two<Isa>(n - half);
    const v above = select(x > v::set(709.0f), factor * infinity, result);
    const v product = select(x == -infinity, factor * v::zero(), above);
    if (__builtin_expect(!any(is_nan(product)), 1)) return product;
    const v limit = select(x == -infinity, v::zero(), factor);
    return select((abs(factor) == infinity) & ~is_nan(x), limit, product);
}

// The lanes where alpha * s + beta, rounded to f64, is below 1: two parts tell if in f32 it is 1.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE auto below_one(V s, V alpha, V beta) {
    const V one = V::set(1.0f), rounded = fma(alpha, s, beta);
    if (__builtin_expect(!any(rounded == one), 1)) return rounded < one;
    const V product = alpha * s, product_low = fma(alpha, s, -product);
    const V sum = product + beta, part = sum - product;
    const V sum_low = (product - (sum - part)) + (beta - part);
    const auto near = abs(sum - one) < one;
    return (near & ((sum - one) + (sum_low + product_low) < V::set(-0x1p-54f))) |
           (~near & (sum < one));
}

// Applies the gradient where chosen(x), else 0, even if it is infinite. Returns true, as the
// others do: a function has been applied.
template <class Isa, class Chosen, class Apply>
DNNL_INLINE bool apply_choice(const Apply &apply, const Chosen &chosen) {
    using v = vec<f32, Isa>;
    apply([=](v g, v x) { return select(chosen(x) | is_nan(g), g, v::zero()); });
    return true;
}

// Applies product(gradient, x), which is gradient * slope. A slope of 0 makes 0 of an infinite
// gradient, too: where the product is NaN, product(1, x) tells whether the slope is 0.
template <class Isa, class Product, class Apply>
DNNL_INLINE bool apply_product(const Apply &apply, const Product &product) {
    using v = vec<f32, Isa>;
    apply([=](v gradient, v x) {
        const v result = product(gradient, x);
        if (__builtin_expect(!any(is_nan(result)), 1)) return result;
        const auto none = (product(v::set(1.0f), x) == v::zero()) & ~is_nan(gradient);
        return select(none, v::zero(), result);
    });
    return true;
}

template <class Isa, class Slope, class Apply>
DNNL_INLINE bool apply_slope(const Apply &apply, const Slope &slope) {
    using v = vec<f32, Isa>;
    return apply_product<Isa>(apply, [=](v gradient, v x) { return gradient * slope(x); });
}

// Corrects slopes that are finite and not 0 wherever x is finite and not 0: where rounding made
// them 0 or infinite, the last number before that is taken.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V regular(V slope, V x) {
    const V least = V::set(0x1p-149f), most = V::set(0x1.fffffep+127f);
    const V bounded = copy_sign(min(most, max(least, abs(slope))), slope);
    return select(is_special<true, Isa>(x) | is_nan(slope), slope, bounded);
}
template <class Isa, class Slope, class Apply>
DNNL_INLINE bool apply_regular_slope(const Apply &apply, const Slope &slope) {
    using v = vec<f32, Isa>;
    apply([=](v gradient, v x) {
        const v f = slope(x), product = gradient * f;
        const auto infinite = is_special<false, Isa>(gradient);
        if (__builtin_expect(!any(is_special<true, Isa>(f) | infinite), 1)) return product;
        const v corrected = regular<Isa>(f, x);
        const auto none = is_special<false, Isa>(x) & (abs(corrected) < v::set(0x1p-100f));
        return select(infinite & none, v::zero(), gradient * corrected);
    });
    return true;
}

// alpha beta x^(beta - 1)
template <class Isa, class Apply>
DNNL_INLINE bool with_pow_gradient(f32 alpha, f32 beta, const Apply &apply) {
    using v = vec<f32, Isa>;
    const v factor = v::set(alpha * beta), zero = v::zero();
    const f32 exponent = beta - 1.0f;
    if (beta == 0.0f) return apply_slope<Isa>(apply, [=](v) { return zero; });
    if (exponent == 0.0f) {
        apply([=](v g, v) { return g * factor; });
        return true;
    }
    if (alpha == 0.0f)
        return apply_slope<Isa>(apply, [=](v x) { return zero_times_power<Isa>(x, exponent); });
    if (exponent == 1.0f)
        return apply_product<Isa>(apply, [=](v g, v x) { return g * x * factor; });
    return apply_product<Isa>(apply, [=](v g, v x) {
        const exact_product<Isa> e = power_exponent<Isa>(x, exponent);
        return signed_power<Isa>(x, exponent, exp_times<Isa>(g * factor, e.high, e.low));
    });
}

// Calls apply(f) once with f(gradient, x) = gradient * derivative. Returns false, without a call,
// for algorithms that are not among these functions or have no derivative.
template <class Isa, functions Which = functions::all, class Apply>
DNNL_INLINE bool with_eltwise_gradient(algorithm alg, f32 alpha, f32 beta, const Apply &apply) {
    using v = vec<f32, Isa>;
    const v a = v::set(alpha), b = v::set(beta), zero = v::zero(), one = v::set(1.0f);
    const v half = v::set(0.5f);
    const auto many = [&](const auto &f) __attribute__((always_inline)) {
        if constexpr (Which != functions::few) apply(f);
        return Which != functions::few;
    };
    const auto many_by_slope = [&](const auto &slope) __attribute__((always_inline)) {
        if constexpr (Which != functions::few) apply_regular_slope<Isa>(apply, slope);
        return Which != functions::few;
    };
    switch (alg) {
    case algorithm::relu:
    case algorithm::relu_use_dst_for_bwd:
        if (alpha == 0.0f) return apply_choice<Isa>(apply, [=](v x) { return x > zero; });
        apply([=](v g, v x) { return select(x > zero, g, g * a); });
        break;
    case algorithm::tanh_use_dst_for_bwd:
        return apply_product<Isa>(apply, [=](v g, v d) { return g * (one - d) * (one + d); });
    case algorithm::elu_use_dst_for_bwd:
        return apply_slope<Isa>(apply, [=](v d) { return select(d > zero, one, d + a); });
    case algorithm::square:
        return apply_product<Isa>(apply, [](v g, v x) {
            const v product = g * x;
            return product + product;
        });
    case algorithm::abs:
        return apply_slope<Isa>(
            apply, [=](v x) { return select(x > zero, one, select(x < zero, -one, x)); });
    case algorithm::sqrt:
        return apply_product<Isa>(apply, [=](v g, v x) { return half * inverse_sqrt<Isa>(x) * g; });
    case algorithm::sqrt_use_dst_for_bwd:
        return apply_product<Isa>(apply, [=](v g, v d) { return half * g / d; });
    case algorithm::linear: return apply_slope<Isa>(apply, [=](v) { return a; });
    case algorithm::hardsigmoid:
        return apply_slope<Isa>(apply,
            [=](v x) { return select((fma(a, x, b) > zero) & below_one<Isa>(x, a, b), a, zero); });
    case algorithm::logistic_use_dst_for_bwd:
        return apply_product<Isa>(apply, [=](v g, v d) { return g * d * (one - d); });
    case algorithm::exp_use_dst_for_bwd:
        return apply_product<Isa>(apply, [](v g, v d) { return g * d; });
    case algorithm::log: return apply_product<Isa>(apply, [](v g, v x) { return g / x; });
    case algorithm::clip: return apply_choice<Isa>(apply, [=](v x) { return (x > a) & (x <= b); });
    case algorithm::clip_v2:
    case algorithm::clip_v2_use_dst_for_bwd:
        return apply_choice<Isa>(apply, [=](v x) { return (x > a) & (x < b); });
    case algorithm::hardswish:
        return apply_slope<Isa>(apply, [=](v x) {
            const v inner = select(below_one<Isa>(x, a, b), fma(a + a, x, b), one);
            return select(fma(a, x, b) > zero, inner, zero);
        });
    case algorithm::tanh:
        return many_by_slope([](v x) { return v::set(4.0f) * logistic_slope<Isa>(x + x); });
    case algorithm::elu:
        if (alpha == 0.0f)
            return apply_slope<Isa>(
                apply, [=](v x) { return select(x > zero, one, select(is_nan(x), x, zero)); });
        return many(
            [=](v g, v x) { return select(x > zero, g, a * exp_times<Isa>(g, min(zero, x))); });
    case algorithm::soft_relu:
        if (is_exact_factor(alpha)) return many_by_slope([=](v x) { return logistic<Isa>(a * x); });
        return many_by_slope([=](v x) {
            const exact_product<Isa> p = multiply_exactly<Isa>(a, x);
            return logistic<Isa>(p.high, p.low);
        });
    case algorithm::logistic: return many_by_slope([](v x) { return logistic_slope<Isa>(x); });
    case algorithm::exp: return many([](v g, v x) { return exp_times<Isa>(g, x); });
    case algorithm::gelu_tanh:
        return many_by_slope([](v x) { return gelu_slope<gelu_kind::tanh>(x); });
    case algorithm::gelu_erf:
        return many_by_slope([](v x) { return gelu_slope<gelu_kind::erf>(x); });
    case algorithm::swish:
        if (is_exact_factor(alpha))
            return many_by_slope([=](v x) { return swish_slope<Isa>(a * x); });
        return many_by_slope([=](v x) { return swish_slope<Isa>(x, a); });
    case algorithm::mish: return many_by_slope([](v x) { return mish_slope<Isa>(x); });
    case algorithm::pow:
        if constexpr (Which == functions::all) with_pow_gradient<Isa>(alpha, beta, apply);
        return Which == functions::all;
    case algorithm::undef:
    case algorithm::round: DNNL_CASES_OF_BINARY return false;
    }
    return true;
}

} // namespace dnnl::impl::cpu
