// SPDX-License-Identifier: Apache-2.0
// Rows of f32 vector by vector, the last one partial.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

// Calls body(i, n) for each vector of a row: n lanes from element i on.
template <class Isa, class Body> DNNL_INLINE void for_vectors(dim_t length, const Body &body) {
    constexpr dim_t size = vec<f32, Isa>::size;
    dim_t i = 0;
    for (; i + size <= length; i += size) body(i, size);
    if (i < length) body(i, length - i);
}

template <class Isa> DNNL_INLINE vec<f32, Isa> load_lanes(const f32 *p, dim_t n) {
    using v = vec<f32, Isa>;
    return n == v::size ? v::load(p) : v::load_first(p, n);
}
template <class Isa> DNNL_INLINE void store_lanes(f32 *p, vec<f32, Isa> x, dim_t n) {
    if (n == x.size)
        x.store(p);
    else
        x.store_first(p, n);
}

} // namespace dnnl::impl::cpu
