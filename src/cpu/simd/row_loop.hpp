// SPDX-License-Identifier: Apache-2.0
// Rows of elements vector by vector, the last one partial.
#pragma once

#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {

DNNL_INLINE constexpr dim_t smaller(dim_t a, dim_t b) { return a < b ? a : b; }

// Calls body(i, n) for each vector of a row: n lanes from element i on.
template <class Isa, class Body> DNNL_INLINE void for_vectors(dim_t length, const Body &body) {
    constexpr dim_t size = vec<f32, Isa>::size;
    dim_t i = 0;
    for (; i + size <= length; i += size) body(i, size);
    if (i < length) body(i, length - i);
}

/// The vector of f32 or s32 at p in a row of which `left` elements are still to come: whole or, at
/// the end of the row, partial. Both share the code around the call; the branch is predicted.
template <class Isa, class Value = f32, class T>
DNNL_INLINE vec<Value, Isa> load_up_to(const T *p, dim_t left) {
    const bool whole = left >= vec<Value, Isa>::size;
    if constexpr (__is_same(Value, s32))
        return whole ? load_as_s32<Isa>(p) : load_as_s32<Isa>(p, left);
    else
        return whole ? load_as_f32<Isa>(p) : load_as_f32<Isa>(p, left);
}
template <class T, class Value, class Isa, int Bytes>
DNNL_INLINE void store_up_to(T *p, vec<Value, Isa, Bytes> x, dim_t left) {
    if (left >= x.size)
        store_as(p, x);
    else
        store_as(p, x, left);
}

} // namespace dnnl::impl::cpu
