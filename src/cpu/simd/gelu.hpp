// SPDX-License-Identifier: Apache-2.0
// gelu(x) = x * gate(x) as the eltwise algorithms take it. Vectors of 512 bits have the gates of
// most arguments from polynomials whose coefficients they pick out of tables in registers
// (gelu_tables.hpp); others take the formulas of math.hpp.
#pragma once

#include "cpu/simd/gelu_tables.hpp"
#include "cpu/simd/math.hpp"

namespace dnnl::impl::cpu {

enum class gelu_kind { erf, tanh };

template <gelu_kind Kind, class Isa> DNNL_INLINE vec<f32, Isa> gelu_by_formula(vec<f32, Isa> x) {
    return Kind == gelu_kind::erf ? gelu_erf<Isa>(x) : gelu_tanh<Isa>(x);
}

template <gelu_kind Kind, class Isa> DNNL_INLINE vec<f32, Isa> gelu(vec<f32, Isa> x) {
    return gelu_by_formula<Kind>(x);
}

#if defined(__AVX512F__)
// Apart from the loops that call it, so that these keep its constants out of their registers.
template <gelu_kind Kind, class Isa> [[gnu::noinline]] vec<f32, Isa> rare_gelu(vec<f32, Isa> x) {
    return gelu_by_formula<Kind>(x);
}

// True when a lane lies between -20 and -last: bits of negative numbers grow with the magnitude.
template <class Isa> DNNL_INLINE bool has_rare(vec<f32, Isa> x, f32 last) {
    using i32 = vec<s32, Isa>;
    const i32 least = as_s32(vec<f32, Isa>::set(-last)), most = as_s32(vec<f32, Isa>::set(-20.0f));
    return _mm512_cmplt_epu32_mask((as_s32(x) - least).v, (most - least).v) != 0;
}

// The tables serve |x| up to `last`; above it the gate is 1 but for 1.2e-7, and below -20 gelu is
// -0, as below -14.5 (erf) and -11 (tanh) already: 3 units of the last place.
template <gelu_kind Kind, class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE vec<f32, Isa> gelu(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    constexpr f32 width = 21.0f / 128, last = 31.49f * width;
    if (__builtin_expect(has_rare(x, last), 0)) return rare_gelu<Kind>(x);
    const auto &gates = Kind == gelu_kind::erf ? gelu_erf_gates : gelu_tanh_gates;
    const v t = abs(x), magic = v::set(0x1.8p23f); // t / width + magic ends with the whole number
    const v sum = fma(t, v::set(1 / width), magic), r = fnma(sum - magic, v::set(width), t);
    const auto coefficient = [&](int k) __attribute__((always_inline)) {
        return v {_mm512_permutex2var_ps(
            _mm512_load_ps(gates[k]), _mm512_castps_si512(sum.v), _mm512_load_ps(gates[k] + 16))};
    };
    v tail = coefficient(6);
#pragma GCC unroll 6
    for (int k = 5; k >= 0; --k) tail = fma(tail, r, coefficient(k));
    const v y = x * select(x > v::zero(), v::set(1.0f) - tail, tail);
    return select(t > v::set(last), max(v::set(-0.0f), x), y);
}
#endif

} // namespace dnnl::impl::cpu
