// SPDX-License-Identifier: Apache-2.0
// The forward eltwise algorithms of the specification as functions on f32 vectors.
#pragma once

#include "cpu/simd/math.hpp"

namespace dnnl::impl::cpu {

// alpha * x^beta; exponents that need no logarithm have functions of their own. Calls apply(f)
// once.
template <class Isa, class Apply>
DNNL_INLINE void with_pow(f32 alpha, f32 beta, const Apply &apply) {
    using v = vec<f32, Isa>;
    const v scale = v::set(alpha), one = v::set(1.0f);
    if (beta == 0.0f) return apply([=](v) { return scale; });
    if (alpha == 0.0f) // x^beta may overflow
        return apply([=](v x) {
            const v power = pow_general<Isa>(x, beta);
            const auto finite = (abs(x) < v::set(__builtin_inff())) & (x != v::zero());
            return select(finite & ~is_nan(power), v::zero(), scale * power);
        });
    if (beta == 1.0f) return apply([=](v x) { return scale * x; });
    if (beta == 2.0f) return apply([=](v x) { return scale * (x * x); });
    if (beta == -1.0f) return apply([=](v x) { return scale * (one / x); });
    if (beta == 0.5f)
        return apply([=](v x) {
            const v root = sqrt(x + v::zero()); // +0 for -0
            return scale * select(x == v::set(-__builtin_inff()), -x, root);
        });
    if (beta == -0.5f)
        return apply([=](v x) {
            const v root = sqrt(x + v::zero());
            return scale * select(x == v::set(-__builtin_inff()), v::zero(), one / root);
        });
    return apply([=](v x) { return scale * pow_general<Isa>(x, beta); });
}

// Calls apply(f) once with f(x) = the algorithm; false (and no call) when it is not a forward one.
template <class Isa, class Apply>
DNNL_INLINE bool with_eltwise(algorithm alg, f32 alpha, f32 beta, const Apply &apply) {
    using v = vec<f32, Isa>;
    const v a = v::set(alpha), b = v::set(beta), zero = v::zero(), one = v::set(1.0f);
    switch (alg) {
    case algorithm::relu:
        if (alpha == 0.0f)
            apply([=](v x) { return max(zero, x); }); // NaN is the second operand, so it stays
        else
            apply([=](v x) { return select(x > zero, x, a * x); });
        break;
    case algorithm::tanh: apply([](v x) { return tanh<Isa>(x); }); break;
    case algorithm::elu:
        apply([=](v x) { return select(x > zero, x, a * expm1<Isa>(min(zero, x))); });
        break;
    case algorithm::square: apply([](v x) { return x * x; }); break;
    case algorithm::abs: apply([](v x) { return abs(x); }); break;
    case algorithm::sqrt: apply([](v x) { return sqrt(x); }); break;
    case algorithm::linear: apply([=](v x) { return fma(a, x, b); }); break;
    case algorithm::soft_relu: apply([=](v x) { return soft_relu<Isa>(x, a); }); break;
    case algorithm::hardsigmoid:
        apply([=](v x) { return min(one, max(zero, fma(a, x, b))); });
        break;
    case algorithm::logistic: apply([](v x) { return logistic<Isa>(x); }); break;
    case algorithm::exp: apply([](v x) { return exp<Isa>(x); }); break;
    case algorithm::gelu_tanh: apply([](v x) { return gelu_tanh<Isa>(x); }); break;
    case algorithm::swish: apply([=](v x) { return swish<Isa>(x, a); }); break;
    case algorithm::log: apply([](v x) { return log<Isa>(x); }); break;
    case algorithm::clip:
    case algorithm::clip_v2: apply([=](v x) { return min(b, max(a, x)); }); break;
    case algorithm::pow: with_pow<Isa>(alpha, beta, apply); break;
    case algorithm::gelu_erf: apply([](v x) { return gelu_erf<Isa>(x); }); break;
    case algorithm::round: apply([](v x) { return round_even(x); }); break;
    case algorithm::mish: apply([](v x) { return mish<Isa>(x); }); break;
    case algorithm::hardswish:
        apply([=](v x) { return x * min(one, max(zero, fma(a, x, b))); });
        break;
    default: return false;
    }
    return true;
}

// Calls apply(f) once with f(x, y) = the binary algorithm; false when it is not a binary one.
template <class Isa, class Apply> DNNL_INLINE bool with_binary(algorithm alg, const Apply &apply) {
    using v = vec<f32, Isa>;
    const v zero = v::zero(), one = v::set(1.0f);
    switch (alg) {
    case algorithm::binary_add: apply([](v x, v y) { return x + y; }); break;
    case algorithm::binary_mul: apply([](v x, v y) { return x * y; }); break;
    case algorithm::binary_max: apply([](v x, v y) { return max(x, y); }); break;
    case algorithm::binary_min: apply([](v x, v y) { return min(x, y); }); break;
    case algorithm::binary_div: apply([](v x, v y) { return x / y; }); break;
    case algorithm::binary_sub: apply([](v x, v y) { return x - y; }); break;
    case algorithm::binary_ge: apply([=](v x, v y) { return select(x >= y, one, zero); }); break;
    case algorithm::binary_gt: apply([=](v x, v y) { return select(x > y, one, zero); }); break;
    case algorithm::binary_le: apply([=](v x, v y) { return select(x <= y, one, zero); }); break;
    case algorithm::binary_lt: apply([=](v x, v y) { return select(x < y, one, zero); }); break;
    case algorithm::binary_eq: apply([=](v x, v y) { return select(x == y, one, zero); }); break;
    case algorithm::binary_ne: apply([=](v x, v y) { return select(x != y, one, zero); }); break;
    default: return false;
    }
    return true;
}

} // namespace dnnl::impl::cpu
