// SPDX-License-Identifier: Apache-2.0
// gelu(x) = x * gate(x), and tanh. Vectors of 512 bits take polynomials whose coefficients they
// pick out of tables in registers (function_tables.hpp), others the formulas of math.hpp.
#pragma once

#include "cpu/simd/function_tables.hpp"
#include "cpu/simd/math.hpp"

namespace dnnl::impl::cpu {

// ---- tanh: the polynomial is picked out by exponent and first bit of the mantissa ----

template <class Isa> DNNL_INLINE vec<f32, Isa> tanh(vec<f32, Isa> x) {
    return tanh_by_formula<Isa>(x);
}

#if defined(__AVX512F__)
/// The numbers at places 0 to 31 of a table.
template <class Isa>
DNNL_INLINE vec<f32, Isa> looked_up(const std::uint32_t *table, vec<s32, Isa> place) {
    return {_mm512_permutex2var_ps(_mm512_load_ps(table), place.v, _mm512_load_ps(table + 16))};
}

/// Evaluates the polynomial in r that is picked out by `place`.
template <class Isa>
DNNL_INLINE vec<f32, Isa> polynomial_at(
    const std::uint32_t *table, vec<s32, Isa> place, vec<f32, Isa> r) {
    vec<f32, Isa> value = looked_up(table + 32 * 6, place);
#pragma GCC unroll 6
    for (int k = 5; k >= 0; --k) value = fma(value, r, looked_up(table + 32 * k, place));
    return value;
}

// The error is below 2 ulp. Below 2^-12 the result is x, whose error is below 0.4 ulp.
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE vec<f32, Isa> tanh(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    const v magnitude = abs(x), t = min(v::set(15.0f), magnitude);
    const i32 place = shift_right<22>(as_s32(t));
    const v r = t - as_f32(as_s32(t) & i32::set(-0x400000));
    const v y = polynomial_at(tanh_parts, place, r);
    return copy_sign(select(magnitude < v::set(0x1p-12f), magnitude, y), x);
}
#endif

// ---- gelu ----

enum class gelu_kind { erf, tanh };

// ---- By formula; slopes are derivatives ----

// gate (1 + u' s (1 - gate)) with gate = logistic(u), u = 2 sqrt(2/pi) (s + 0.044715 s^3)
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V gelu_tanh_slope(V s) {
    const V x = clamp<Isa>(s, -40.0f, 40.0f), one = V::set(1.0f);
    const exact_product<Isa> u = gelu_tanh_argument<Isa>(x);
    const logistic_gates<Isa> g =
        logistic_gates_from<Isa>(u.high, falling_exp<Isa>(u.high, u.low).number());
    // u' = c1 + 3 c2 s^2
    const V slope = fma(V::set(0x1.b6676ap-3f), x * x, V::set(0x1.988454p+0f));
    return g.rising * fma(x * g.falling, slope, one);
}

// The normal distribution function at s plus s times its density.
template <class Isa, class V = vec<f32, Isa>> DNNL_INLINE V gelu_erf_slope(V s) {
    const V x = clamp<Isa>(s, -14.2f, 14.2f), one = V::set(1.0f);
    const normal_values<Isa> n = normal_values_at<Isa>(one, abs(x));
    const V below = select(x > V::zero(), one - n.tail, n.tail);
    return fma(x * V::set(0x1.988454p-2f), n.exponential, below); // 1 / sqrt(2 pi)
}

template <gelu_kind Kind, class Isa> DNNL_INLINE vec<f32, Isa> gelu_by_formula(vec<f32, Isa> x) {
    return Kind == gelu_kind::erf ? gelu_erf<Isa>(x) : gelu_tanh<Isa>(x);
}
template <gelu_kind Kind, class Isa>
DNNL_INLINE vec<f32, Isa> gelu_slope_by_formula(vec<f32, Isa> x) {
    return Kind == gelu_kind::erf ? gelu_erf_slope<Isa>(x) : gelu_tanh_slope<Isa>(x);
}

template <gelu_kind Kind, class Isa> DNNL_INLINE vec<f32, Isa> gelu(vec<f32, Isa> x) {
    return gelu_by_formula<Kind>(x);
}
template <gelu_kind Kind, class Isa> DNNL_INLINE vec<f32, Isa> gelu_slope(vec<f32, Isa> x) {
    return gelu_slope_by_formula<Kind>(x);
}

#if defined(__AVX512F__)
// ---- By tables, which serve t = |x| up to table_end ----

inline constexpr f32 table_width = 21.0f / 128, table_end = 31.49f * table_width;

// Functions of their own, so that the loops that call them keep these constants out of registers.

// gelu(x) where x is below -table_end, else y. With t = -x, gelu_erf is e^(-t^2/2) P(1/t^2), P
// being an own polynomial through Chebyshev nodes of 5.1 <= t <= 14.5, error 3.9e-8, and gelu_tanh
// x e^u, 1.4e-8 too large.
template <gelu_kind Kind, class Isa>
[[gnu::noinline]] vec<f32, Isa> gelu_beyond_table(vec<f32, Isa> x, vec<f32, Isa> y) {
    using v = vec<f32, Isa>;
    exp_parts<Isa> e;
    v factor;
    if constexpr (Kind == gelu_kind::erf) {
        const v bounded = max(v::set(-14.5f), x), half = v::set(-0.5f), t2 = bounded * bounded;
        factor = polynomial<Isa>(v::set(1.0f) / t2, {-0.3989422619f, 0.3989273906f, -1.194297314f,
                                                        5.772277832f, -32.19113922f, 121.9729004f});
        e = split_exp<Isa>(half * t2, half * fma(bounded, bounded, -t2));
    } else {
        factor = max(v::set(-12.0f), x);
        const exact_product<Isa> u = gelu_tanh_argument<Isa>(factor);
        e = split_exp<Isa>(u.high, u.low);
    }
    const v tail = binary_power<Isa>(e.n).times(fma(e.r_exp_minus_1, factor, factor));
    return select(x < v::set(-table_end), tail, y);
}
template <gelu_kind Kind, class Isa>
[[gnu::noinline]] vec<f32, Isa> rare_gelu_slope(vec<f32, Isa> x) {
    return gelu_slope_by_formula<Kind>(x);
}

// True when a lane lies between first and last, which have one sign: bits of numbers of one sign
// grow with the magnitude.
template <class Isa> DNNL_INLINE bool has_between(vec<f32, Isa> x, f32 first, f32 last) {
    using i32 = vec<s32, Isa>;
    const i32 least = as_s32(vec<f32, Isa>::set(first)), most = as_s32(vec<f32, Isa>::set(last));
    return _mm512_cmplt_epu32_mask((as_s32(x) - least).v, (most - least).v) != 0;
}

// Evaluates the polynomial of the interval around t.
template <class Isa>
DNNL_INLINE vec<f32, Isa> table_value(const std::uint32_t *table, vec<f32, Isa> t) {
    using v = vec<f32, Isa>;
    const v magic = v::set(0x1.8p23f); // t / width + magic ends with the whole number
    const v sum = fma(t, v::set(1 / table_width), magic);
    return polynomial_at(table, as_s32(sum), fnma(sum - magic, v::set(table_width), t));
}

// Above table_end the gate is 1 but for 1.2e-7, and below -20 gelu is -0, as below -14.5 (erf) and
// -11 (tanh) already: 3 units of the last place.
template <gelu_kind Kind, class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE vec<f32, Isa> gelu(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    const v t = abs(x);
    const v tail = table_value(Kind == gelu_kind::erf ? gelu_erf_gates : gelu_tanh_gates, t);
    const v product = x * select(x > v::zero(), v::set(1.0f) - tail, tail);
    const v y = select(t > v::set(table_end), max(v::set(-0.0f), x), product);
    const bool beyond = has_between(x, -table_end, -20.0f);
    return __builtin_expect(beyond, 0) ? gelu_beyond_table<Kind>(x, y) : y;
}

// gelu'(t) = 1 - gelu'(-t). From 20 on it is 1, below -20 it is -0.
template <gelu_kind Kind, class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE vec<f32, Isa> gelu_slope(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    const v t = abs(x), one = v::set(1.0f);
    if (__builtin_expect(has_between(t, table_end, 20.0f), 0)) return rare_gelu_slope<Kind>(x);
    const v tail = table_value(Kind == gelu_kind::erf ? gelu_erf_slopes : gelu_tanh_slopes, t);
    const v below = select(t > v::set(table_end), v::set(-0.0f), tail);
    return select(x > v::zero(), one - below, below);
}
#endif

} // namespace dnnl::impl::cpu
