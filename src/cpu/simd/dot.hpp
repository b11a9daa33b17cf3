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

template <class T>
concept is_byte = __is_same(T, s8) || __is_same(T, u8);

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

// ---- bf16 and f16: widened to f32, which keeps subnormal values ----

// Two f32 vectors: the even and the odd element of each pair.
template <class Isa> struct f32_pair { vec<f32, Isa> even, odd; };

template <class Isa> DNNL_INLINE f32_pair<Isa> widen_pairs(vec<s32, Isa> pairs, const bf16 *) {
    using i32 = vec<s32, Isa>;
    return {as_f32(shift_left<16>(pairs)), as_f32(pairs & i32::set(static_cast<s32>(0xffff0000u)))};
}
template <class Isa>
requires(Isa::vector_bytes == 32) DNNL_INLINE f32_pair<Isa> widen_pairs(
    vec<s32, Isa> pairs, const f16 *) {
    const vec<s32, Isa> even = pairs & vec<s32, Isa>::set(0xffff), odd = shift_right<16>(pairs);
    const __m256i mixed = _mm256_packus_epi32(even.v, odd.v);           // e0 o0 e1 o1, by 64 bits
    const __m256i sorted = _mm256_permute4x64_epi64(mixed, 0b11011000); // e0 e1 o0 o1
    return {{_mm256_cvtph_ps(_mm256_castsi256_si128(sorted))},
        {_mm256_cvtph_ps(_mm256_extracti128_si256(sorted, 1))}};
}
#if defined(__AVX512F__)
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE f32_pair<Isa> widen_pairs(
    vec<s32, Isa> pairs, const f16 *) {
    return {{_mm512_cvtph_ps(_mm512_cvtepi32_epi16(pairs.v))},
        {_mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(pairs.v, 16)))}};
}
#endif

template <class Isa, class A, class B> struct dot_pairs {
    static constexpr int k_group = 2, panel_columns = 32;
    static constexpr bool shifts_a = false, shifts_b = false;
    using acc = vec<f32, Isa>;
    using pair = f32_pair<Isa>;
    DNNL_INLINE static pair load_b(const void *p) {
        return widen_pairs<Isa>(
            vec<s32, Isa>::load(static_cast<const s32 *>(p)), static_cast<const B *>(nullptr));
    }
    DNNL_INLINE static pair load_a(const void *p) {
        s32 both;
        __builtin_memcpy(&both, p, sizeof both);
        return widen_pairs<Isa>(vec<s32, Isa>::set(both), static_cast<const A *>(nullptr));
    }
    DNNL_INLINE static pair load_a_tail(const void *p, int) {
        const s32 first = static_cast<const A *>(p)->bits;
        return widen_pairs<Isa>(vec<s32, Isa>::set(first), static_cast<const A *>(nullptr));
    }
    DNNL_INLINE static acc step(acc c, pair a, pair b) {
        return fma(a.odd, b.odd, fma(a.even, b.even, c));
    }
};
template <class Isa> struct dot<Isa, bf16, bf16> : dot_pairs<Isa, bf16, bf16> {};
template <class Isa> struct dot<Isa, f16, f16> : dot_pairs<Isa, f16, f16> {};

// A that the packer has widened already.
template <class Isa, class B> struct dot_widened_a : dot_pairs<Isa, bf16, B> {
    using acc = vec<f32, Isa>;
    using pair = f32_pair<Isa>;
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

// ---- Signed and unsigned bytes ----

template <class Isa>
concept has_vnni = Isa::vnni;

// n < 4 bytes as the low bytes of a word, zeros above.
DNNL_INLINE s32 bytes_as_word(const void *p, int n) {
    const u8 *bytes = static_cast<const u8 *>(p);
    std::uint32_t word = 0;
    for (int i = 0; i < n; ++i) word |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
    return static_cast<s32>(word);
}
DNNL_INLINE s32 four_bytes(const void *p) {
    s32 word;
    __builtin_memcpy(&word, p, sizeof word);
    return word;
}

// Operations on the 16-bit halves of each lane.
template <class Isa> DNNL_INLINE vec<s32, Isa, 32> half_shift_right8(vec<s32, Isa, 32> a) {
    return {_mm256_srli_epi16(a.v, 8)};
}
template <class Isa> DNNL_INLINE vec<s32, Isa, 32> half_shift_right8_signed(vec<s32, Isa, 32> a) {
    return {_mm256_srai_epi16(a.v, 8)};
}
template <class Isa>
DNNL_INLINE vec<s32, Isa, 32> multiply_add_halves(vec<s32, Isa, 32> a, vec<s32, Isa, 32> b) {
    return {_mm256_madd_epi16(a.v, b.v)};
}
#if defined(__AVX512BW__)
template <class Isa> DNNL_INLINE vec<s32, Isa, 64> half_shift_right8(vec<s32, Isa, 64> a) {
    return {_mm512_srli_epi16(a.v, 8)};
}
template <class Isa> DNNL_INLINE vec<s32, Isa, 64> half_shift_right8_signed(vec<s32, Isa, 64> a) {
    return {_mm512_srai_epi16(a.v, 8)};
}
template <class Isa>
DNNL_INLINE vec<s32, Isa, 64> multiply_add_halves(vec<s32, Isa, 64> a, vec<s32, Isa, 64> b) {
    return {_mm512_madd_epi16(a.v, b.v)};
}
#endif

// Bytes 0 and 2, and bytes 1 and 3, of each lane, widened to 16 bits.
template <class Isa> struct widened_bytes { vec<s32, Isa> even, odd; };
template <class Isa> DNNL_INLINE widened_bytes<Isa> widen_bytes(vec<s32, Isa> x, const s8 *) {
    return {half_shift_right8_signed(shift_left<8>(x)), half_shift_right8_signed(x)};
}
template <class Isa> DNNL_INLINE widened_bytes<Isa> widen_bytes(vec<s32, Isa> x, const u8 *) {
    return {x & vec<s32, Isa>::set(0x00ff00ff), half_shift_right8(x)};
}

// Without VNNI: products of 16-bit numbers, since the instruction for bytes saturates its sums.
template <class Isa, is_byte A, is_byte B> struct dot<Isa, A, B> {
    static constexpr int k_group = 4, panel_columns = 32;
    static constexpr bool shifts_a = false, shifts_b = false;
    using acc = vec<s32, Isa>;
    using group = widened_bytes<Isa>;
    DNNL_INLINE static group load_b(const void *p) {
        return widen_bytes<Isa>(
            acc::load(static_cast<const s32 *>(p)), static_cast<const B *>(nullptr));
    }
    DNNL_INLINE static group load_a(const void *p) {
        return widen_bytes<Isa>(acc::set(four_bytes(p)), static_cast<const A *>(nullptr));
    }
    DNNL_INLINE static group load_a_tail(const void *p, int n) {
        return widen_bytes<Isa>(acc::set(bytes_as_word(p, n)), static_cast<const A *>(nullptr));
    }
    DNNL_INLINE static acc step(acc c, group a, group b) {
        return c + (multiply_add_halves(a.even, b.even) + multiply_add_halves(a.odd, b.odd));
    }
};

// c + sum of four products of unsigned bytes of u and signed bytes of s. One instruction in asm:
// around the intrinsic GCC 12 copies accumulators, at half the speed.
template <class Isa>
DNNL_INLINE vec<s32, Isa, 32> dot_bytes(
    vec<s32, Isa, 32> c, vec<s32, Isa, 32> u, vec<s32, Isa, 32> s) {
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(c.v) : "x"(u.v), "x"(s.v));
    return c;
}
#if defined(__AVX512F__)
template <class Isa>
DNNL_INLINE vec<s32, Isa, 64> dot_bytes(
    vec<s32, Isa, 64> c, vec<s32, Isa, 64> u, vec<s32, Isa, 64> s) {
    asm("vpdpbusd %2, %1, %0" : "+v"(c.v) : "v"(u.v), "v"(s.v));
    return c;
}
#endif

// The instruction multiplies unsigned by signed bytes. s8 x s8 flips the sign bits of A, u8 x u8
// those of B (a shift by 128), and s8 x u8 swaps the operands.
template <has_vnni Isa, is_byte A, is_byte B> struct dot<Isa, A, B> {
    static constexpr int k_group = 4, panel_columns = 32;
    static constexpr bool a_signed = A(-1) < A(0), b_signed = B(-1) < B(0);
    static constexpr bool shifts_a = a_signed && b_signed, shifts_b = !a_signed && !b_signed;
    using acc = vec<s32, Isa>;
    DNNL_INLINE static acc flip_signs(acc x) { return x ^ acc::set(static_cast<s32>(0x80808080u)); }
    DNNL_INLINE static acc load_b(const void *p) {
        const acc b = acc::load(static_cast<const s32 *>(p));
        return shifts_b ? flip_signs(b) : b;
    }
    DNNL_INLINE static acc load_a(const void *p) {
        const acc a = acc::set(four_bytes(p));
        return shifts_a ? flip_signs(a) : a;
    }
    DNNL_INLINE static acc load_a_tail(const void *p, int n) {
        const acc a = acc::set(bytes_as_word(p, n));
        return shifts_a ? flip_signs(a) : a;
    }
    DNNL_INLINE static acc step(acc c, acc a, acc b) {
        return a_signed && !b_signed ? dot_bytes(c, b, a) : dot_bytes(c, a, b);
    }
};

} // namespace dnnl::impl::cpu
