// SPDX-License-Identifier: Apache-2.0
// tanh as kernels take it: from the formula of math.hpp or, in vectors of 512 bits, by polynomials
// whose coefficients lie in registers (function_tables.hpp), picked out by exponent and first bit
// of the mantissa.
#pragma once

#include "cpu/simd/function_tables.hpp"
#include "cpu/simd/math.hpp"

namespace dnnl::impl::cpu {

template <class Isa> DNNL_INLINE vec<f32, Isa> tanh(vec<f32, Isa> x) {
    return tanh_by_formula<Isa>(x);
}

#if defined(__AVX512F__)
// 2 ulp; below 2^-12 x itself is, up to 0.4 ulp.
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE vec<f32, Isa> tanh(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    const v magnitude = abs(x), t = min(v::set(15.0f), magnitude);
    const i32 place = shift_right<22>(as_s32(t));
    const v r = t - as_f32(as_s32(t) & i32::set(-0x400000));
    const auto coefficient = [&](int k) __attribute__((always_inline)) {
        return v {_mm512_permutex2var_ps(
            _mm512_load_ps(tanh_parts[k]), place.v, _mm512_load_ps(tanh_parts[k] + 16))};
    };
    v y = coefficient(6);
#pragma GCC unroll 6
    for (int k = 5; k >= 0; --k) y = fma(y, r, coefficient(k));
    return copy_sign(select(magnitude < v::set(0x1p-12f), magnitude, y), x);
}
#endif

} // namespace dnnl::impl::cpu
