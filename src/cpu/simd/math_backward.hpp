// SPDX-License-Identifier: Apache-2.0
// The derivatives of the eltwise algorithms as functions on f32 vectors, of src or, for the
// *_use_dst_for_bwd kinds, of dst. Forms without cancellation where f' has none (doc/numerics.md).
#pragma once

#include "cpu/simd/eltwise.hpp"

namespace dnnl::impl::cpu {

// logistic(x) * logistic(-x)
template <class Isa> DNNL_INLINE vec<f32, Isa> logistic_slope(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    const v e = exp<Isa>(-abs(x)), sum = v::set(1.0f) + e;
    return e / (sum * sum);
}

// gate (1 + u' s (1 - gate)) with gate = logistic(u), u = 2 sqrt(2/pi) (s + 0.044715 s^3)
template <class Isa> DNNL_INLINE vec<f32, Isa> gelu_tanh_slope(vec<f32, Isa> s) {
    using v = vec<f32, Isa>;
    const v x = clamp<Isa>(s, -40.0f, 40.0f), one = v::set(1.0f);
    const exact_product<Isa> u = gelu_tanh_argument<Isa>(x);
    const v gate = logistic<Isa>(u.high, u.low), other = logistic<Isa>(-u.high, -u.low);
    // u' = c1 + 3 c2 s^2
    const v slope = fma(v::set(0x1.b6676ap-3f), x * x, v::set(0x1.988454p+0f));
    return gate * fma(x * other, slope, one);
}

// The normal distribution function at s plus s times its density.
template <class Isa> DNNL_INLINE vec<f32, Isa> gelu_erf_slope(vec<f32, Isa> s) {
    using v = vec<f32, Isa>;
    const v x = clamp<Isa>(s, -14.5f, 14.5f), half = v::set(-0.5f);
    const v tail = normal_tail<Isa>(abs(x));
    const v below = select(x > v::zero(), v::set(1.0f) - tail, tail);
    const exact_product<Isa> square = multiply_exactly<Isa>(x, x);
    const v density = exp<Isa>(half * square.high, half * square.low);
    return fma(x * v::set(0x1.988454p-2f), density, below); // 1 / sqrt(2 pi)
}

// gate (1 + alpha s (1 - gate)) with gate = logistic(alpha s)
template <class Isa> DNNL_INLINE vec<f32, Isa> swish_slope(vec<f32, Isa> s, vec<f32, Isa> alpha) {
    using v = vec<f32, Isa>;
    const exact_product<Isa> p = multiply_exactly<Isa>(alpha, s);
    const v gate = logistic<Isa>(p.high, p.low), other = logistic<Isa>(-p.high, -p.low);
    return gate * fma(clamp<Isa>(p.high, -110.0f, 110.0f), other, v::set(1.0f));
}

// n / (n + 2) + s logistic(s) 4 (n + 1) / (n + 2)^2 with n = e^s (e^s + 2)
template <class Isa> DNNL_INLINE vec<f32, Isa> mish_slope(vec<f32, Isa> s) {
    using v = vec<f32, Isa>;
    const v two = v::set(2.0f), x = clamp<Isa>(s, -110.0f, 30.0f);
    const v e = exp<Isa>(x), n = e * (e + two), m = n + two;
    const v gate = e / (e + v::set(1.0f));
    return fma(x * gate, v::set(4.0f) * (n + v::set(1.0f)) / (m * m), n / m);
}

// alpha s + beta < 1, decided without rounding.
template <class Isa>
DNNL_INLINE auto below_one(vec<f32, Isa> s, vec<f32, Isa> alpha, vec<f32, Isa> beta) {
    using v = vec<f32, Isa>;
    const v product = alpha * s, product_low = fma(alpha, s, -product);
    const v sum = product + beta, part = sum - product;
    const v sum_low = (product - (sum - part)) + (beta - part);
    return (sum - v::set(1.0f)) + (sum_low + product_low) < v::zero();
}

// Calls apply(f) once with f(x) = the derivative; false (and no call) when there is none.
template <class Isa, class Apply>
DNNL_INLINE bool with_eltwise_slope(algorithm alg, f32 alpha, f32 beta, const Apply &apply) {
    using v = vec<f32, Isa>;
    const v a = v::set(alpha), b = v::set(beta), zero = v::zero(), one = v::set(1.0f);
    const v half = v::set(0.5f);
    switch (alg) {
    case algorithm::relu:
    case algorithm::relu_use_dst_for_bwd:
        apply([=](v x) { return select(x > zero, one, a); });
        break;
    case algorithm::tanh:
        apply([](v x) { return v::set(4.0f) * logistic_slope<Isa>(x + x); });
        break;
    case algorithm::tanh_use_dst_for_bwd: apply([=](v d) { return (one - d) * (one + d); }); break;
    case algorithm::elu:
        apply([=](v x) { return select(x > zero, one, a * exp<Isa>(min(zero, x))); });
        break;
    case algorithm::elu_use_dst_for_bwd:
        apply([=](v d) { return select(d > zero, one, d + a); });
        break;
    case algorithm::square: apply([](v x) { return x + x; }); break;
    case algorithm::abs:
        apply([=](v x) { return select(x > zero, one, select(x < zero, -one, x)); });
        break;
    case algorithm::sqrt: apply([=](v x) { return half / sqrt(x); }); break;
    case algorithm::sqrt_use_dst_for_bwd: apply([=](v d) { return half / d; }); break;
    case algorithm::linear: apply([=](v) { return a; }); break;
    case algorithm::soft_relu:
        apply([=](v x) {
            const exact_product<Isa> p = multiply_exactly<Isa>(a, x);
            return logistic<Isa>(p.high, p.low);
        });
        break;
    case algorithm::hardsigmoid:
        apply(
            [=](v x) { return select((fma(a, x, b) > zero) & below_one<Isa>(x, a, b), a, zero); });
        break;
    case algorithm::logistic: apply([](v x) { return logistic_slope<Isa>(x); }); break;
    case algorithm::logistic_use_dst_for_bwd: apply([=](v d) { return d * (one - d); }); break;
    case algorithm::exp: apply([](v x) { return exp<Isa>(x); }); break;
    case algorithm::exp_use_dst_for_bwd: apply([](v d) { return d; }); break;
    case algorithm::gelu_tanh: apply([](v x) { return gelu_tanh_slope<Isa>(x); }); break;
    case algorithm::gelu_erf: apply([](v x) { return gelu_erf_slope<Isa>(x); }); break;
    case algorithm::swish: apply([=](v x) { return swish_slope<Isa>(x, a); }); break;
    case algorithm::log: apply([=](v x) { return one / x; }); break;
    case algorithm::clip: apply([=](v x) { return select((x > a) & (x <= b), one, zero); }); break;
    case algorithm::clip_v2:
    case algorithm::clip_v2_use_dst_for_bwd:
        apply([=](v x) { return select((x > a) & (x < b), one, zero); });
        break;
    case algorithm::pow:
        if (beta == 0.0f)
            apply([=](v) { return zero; });
        else
            with_pow<Isa>(alpha * beta, beta - 1.0f, apply);
        break;
    case algorithm::mish: apply([](v x) { return mish_slope<Isa>(x); }); break;
    case algorithm::hardswish:
        apply([=](v x) {
            const v inner = select(fma(a, x, b) > zero, fma(a + a, x, b), zero);
            return select(below_one<Isa>(x, a, b), inner, one);
        });
        break;
    default: return false;
    }
    return true;
}

} // namespace dnnl::impl::cpu
