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
// Here: f32, bf16 and f16. dot_bytes.hpp has signed and unsigned bytes.
#pragma once

#include "cpu/simd/block.hpp"

namespace dnnl::impl::cpu {

template <class Isa, class A, class B> struct dot;

/// The constants of most of them: no operand is shifted.
template <int Group> struct dot_of_groups {
    static constexpr int k_group = Group, panel_columns = Group == 1 ? 64 : 32;
    static constexpr bool shifts_a = false, shifts_b = false;
};

/// The word that begins at p, which need not be aligned.
DNNL_INLINE s32 four_bytes(const void *p) {
    s32 word;
    __builtin_memcpy(&word, p, sizeof word);
    return word;
}

template <class Isa> struct dot<Isa, f32, f32> : dot_of_groups<1> {
    using acc = vec<f32, Isa>;
    DNNL_INLINE static acc load_b(const void *p) { return acc::load(static_cast<const f32 *>(p)); }
    DNNL_INLINE static acc load_a(const void *p) { return acc::set(*static_cast<const f32 *>(p)); }
    DNNL_INLINE static acc load_a_tail(const void *, int) { return acc::zero(); }
    DNNL_INLINE static acc step(acc c, acc a, acc b) { return add_product(c, a, b); }
};

// ---- bf16 and f16: widened to f32, which keeps subnormal values ----

// Widens pairs of f16 to their even and their odd elements; block.hpp has bf16.
#if defined(__AVX2__)
template <class Isa>
requires(Isa::vector_bytes == 32) DNNL_INLINE vector_pair<Isa> widen_pairs(
    vec<s32, Isa> pairs, const f16 *) {
    const vec<s32, Isa> even = pairs & vec<s32, Isa>::set(0xffff), odd = shift_right<16>(pairs);
    const __m256i mixed = _mm256_packus_epi32(even.v, odd.v);           // e0 o0 e1 o1, by 64 bits
    const __m256i sorted = _mm256_permute4x64_epi64(mixed, 0b11011000); // e0 e1 o0 o1
    return {{_mm256_cvtph_ps(_mm256_castsi256_si128(sorted))},
        {_mm256_cvtph_ps(_mm256_extracti128_si256(sorted, 1))}};
}
#endif
#if defined(__AVX512F__)
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE vector_pair<Isa> widen_pairs(
    vec<s32, Isa> pairs, const f16 *) {
    return {{_mm512_cvtph_ps(_mm512_cvtepi32_epi16(pairs.v))},
        {_mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(pairs.v, 16)))}};
}
#endif

template <class Isa, class A, class B> struct dot_pairs : dot_of_groups<2> {
    using acc = vec<f32, Isa>;
    using pair = vector_pair<Isa>;
    DNNL_INLINE static pair load_b(const void *p) {
        return widen_pairs<Isa>(
            vec<s32, Isa>::load(static_cast<const s32 *>(p)), static_cast<const B *>(nullptr));
    }
    DNNL_INLINE static pair load_a(const void *p) {
        return widen_pairs<Isa>(vec<s32, Isa>::set(four_bytes(p)), static_cast<const A *>(nullptr));
    }
    DNNL_INLINE static pair load_a_tail(const void *p, int) {
        const s32 first = static_cast<const A *>(p)->bits;
        return widen_pairs<Isa>(vec<s32, Isa>::set(first), static_cast<const A *>(nullptr));
    }
    DNNL_INLINE static acc step(acc c, pair a, pair b) {
        return fma(a.second, b.second, fma(a.first, b.first, c));
    }
};
template <class Isa> struct dot<Isa, bf16, bf16> : dot_pairs<Isa, bf16, bf16> {};
template <class Isa> struct dot<Isa, f16, f16> : dot_pairs<Isa, f16, f16> {};

#if defined(__AVX512BF16__)
// The instruction takes subnormal numbers for zero, as operands and as results, and adds the odd
// product first. It is written in asm for the reason given in dot_bytes.hpp.
template <class Isa>
requires(Isa::bf16_pairs) struct dot<Isa, bf16, bf16> : dot_of_groups<2> {
    using acc = vec<f32, Isa>;
    using pair = vec<s32, Isa>;
    DNNL_INLINE static pair load_b(const void *p) {
        return pair::load(static_cast<const s32 *>(p));
    }
    DNNL_INLINE static pair load_a(const void *p) { return pair::set(four_bytes(p)); }
    DNNL_INLINE static pair load_a_tail(const void *p, int) {
        return pair::set(static_cast<const bf16 *>(p)->bits);
    }
    DNNL_INLINE static acc step(acc c, pair a, pair b) {
        asm("vdpbf16ps %2, %1, %0" : "+v"(c.v) : "v"(a.v), "v"(b.v));
        return c;
    }
};
#endif

// A is f32 here: the packer has widened it already.
template <class Isa, class B> struct dot_widened_a : dot_pairs<Isa, bf16, B> {
    using acc = vec<f32, Isa>;
    using pair = vector_pair<Isa>;
    DNNL_INLINE static pair load_a(const void *p) {
        const f32 *a = static_cast<const f32 *>(p);
        return {acc::set(a[0]), acc::set(a[1])};
    }
    DNNL_INLINE static pair load_a_tail(const void *p, int) {
        return {acc::set(*static_cast<const f32 *>(p)), acc::zero()};
    }
};
template <class Isa> struct dot<Isa, f32, bf16> : dot_widened_a<Isa, bf16> {};
template <class Isa> struct dot<Isa, f32, f16> : dot_widened_a<Isa, f16> {};

} // namespace dnnl::impl::cpu
