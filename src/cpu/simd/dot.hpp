// SPDX-License-Identifier: Apache-2.0
// How an instruction set multiplies and accumulates one group of k elements of A and B.
//
//   k_group          adjacent k that one step multiplies: 1 (f32), 2 (bf16, f16), 4 (int8)
//   panel_columns    columns of a packed B panel; a panel row is panel_columns * k_group elements
//   acc              the vector of accumulators, f32 or s32: one column per lane
//   load_b(p)        k_group elements of acc::size columns, made ready for step()
//   load_a(p)        k_group elements of one row in every lane; exactly k_group elements are read
//   load_a_tail(p,n) the first n < k_group elements, zeros for the rest
//   step(c, a, b)    c + a * b, summed over the group
//   shifts_a         a is taken as a + 128: 128 * (column sums of B) must be taken off
//   shifts_b         b is taken as b - 128: 128 * (row sums of A) must be added
//
// Integer sums are exact (they wrap at 32 bits), also where no instruction multiplies bytes
// exactly.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

template <class T> inline constexpr bool is_byte = false;
template <> inline constexpr bool is_byte<s8> = true;
template <> inline constexpr bool is_byte<u8> = true;

template <class Isa, class A, class B> struct dot;

template <class Isa> struct dot<Isa, f32, f32> {
    static constexpr int k_group = 1, panel_columns = 64;
    static constexpr bool shifts_a = false, shifts_b = false;
    using acc = vec<f32, Isa>;
    DNNL_INLINE static acc load_b(const void *p) { return acc::load(static_cast<const f32 *>(p)); }
    DNNL_INLINE static acc load_a(const void *p) { return acc::set(*static_cast<const f32 *>(p)); }
    DNNL_INLINE static acc load_a_tail(const void *, int) { return acc::zero(); }
    DNNL_INLINE static acc step(acc c, acc a, acc b) { return fma(a, b, c); }
};

} // namespace dnnl::impl::cpu
