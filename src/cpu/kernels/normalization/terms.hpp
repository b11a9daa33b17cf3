// SPDX-License-Identifier: Apache-2.0
// The terms of normalize.hpp as functions of registers. The kernels differ in how elements and
// statistics get there, and in the order in which sums are added up.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

/// Lanes from n on become 0.
template <class Isa> DNNL_INLINE vec<f32, Isa> first_lanes(vec<f32, Isa> x, dim_t n) {
    using v = vec<f32, Isa>;
    return n >= v::size ? x : select(v::lanes::first(n), x, v::zero());
}

// add() adds the terms of the first n lanes to sums: x is an element of src, d one of the gradient,
// 0 in the other lanes as x is. `product` is a second sum where `sums` is 2.
template <class Isa> struct source_term {
    using v = vec<f32, Isa>;
    static constexpr int sums = 1;
    static constexpr bool has_mean = false, has_gradient = false;
    DNNL_INLINE static void add(v &sum, v &, v x, v, v, v, dim_t = v::size) { sum = sum + x; }
};
template <class Isa> struct deviation_term {
    using v = vec<f32, Isa>;
    static constexpr int sums = 2;
    static constexpr bool has_mean = true, has_gradient = false;
    DNNL_INLINE static void add(v &sum, v &square, v x, v, v mean, v, dim_t n = v::size) {
        const v d = first_lanes<Isa>(x - mean, n);
        sum = sum + d;
        square = fma(d, d, square);
    }
};
template <class Isa> struct gradient_term {
    using v = vec<f32, Isa>;
    static constexpr int sums = 2;
    static constexpr bool has_mean = true, has_gradient = true;
    DNNL_INLINE static void add(
        v &sum, v &product, v x, v d, v mean, v inverse, dim_t n = v::size) {
        d = first_lanes<Isa>(d, n);
        sum = sum + d;
        product = fma(d, first_lanes<Isa>((x - mean) * inverse, n), product);
    }
};

/// The gradient of an element, where d is scale * diff and z = (x - mean) * inverse.
template <class Isa>
DNNL_INLINE vec<f32, Isa> gradient_of(vec<f32, Isa> d, vec<f32, Isa> z, vec<f32, Isa> inverse,
    vec<f32, Isa> sum_part, vec<f32, Isa> product_part) {
    return inverse * (d - fma(z, product_part, sum_part));
}

} // namespace dnnl::impl::cpu
