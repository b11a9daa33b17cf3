// SPDX-License-Identifier: Apache-2.0
// Products of signed and unsigned bytes in groups of four (dot.hpp). Their sums are exact (they
// wrap at 32 bits), also where no instruction multiplies bytes exactly.
#pragma once

#include "cpu/simd/dot.hpp"

namespace dnnl::impl::cpu {

template <class Isa>
concept has_vnni = Isa::vnni;

// Returns n < 4 bytes as the low bytes of a word with zeros above.
DNNL_INLINE s32 bytes_as_word(const void *p, int n) {
    const u8 *bytes = static_cast<const u8 *>(p);
    std::uint32_t word = 0;
    if (n & 2) __builtin_memcpy(&word, bytes, 2);
    if (n & 1) word |= static_cast<std::uint32_t>(bytes[n & 2]) << (8 * (n & 2));
    return static_cast<s32>(word);
}

// Bytes 0 and 2, and bytes 1 and 3, of each lane, widened to 16 bits.
template <class Isa> struct widened_bytes { vec<s32, Isa> even, odd; };
template <class Isa> DNNL_INLINE widened_bytes<Isa> widen_bytes(vec<s32, Isa> x, s8) {
    return {{srai_epi16<8>(shift_left<8>(x).v)}, {srai_epi16<8>(x.v)}};
}
template <class Isa> DNNL_INLINE widened_bytes<Isa> widen_bytes(vec<s32, Isa> x, u8) {
    return {x & vec<s32, Isa>::set(0x00ff00ff), {srli_epi16<8>(x.v)}};
}

/// A byte, signed or not, that was widened before. Of each group of A byte 2 comes before byte 1
/// (wide_bytes.hpp), and a row of a panel of B is two, of even and of odd bytes.
using wide_byte = std::int16_t;
template <class T>
concept is_integer_operand = is_byte<T> || __is_same(T, wide_byte);

// Without VNNI bytes are widened to 16 bits, because vpmaddubsw saturates the sum of two products.
template <class Isa, is_integer_operand A, is_byte B> struct dot<Isa, A, B> : dot_of_groups<4> {
    using acc = vec<s32, Isa>;
    using group = widened_bytes<Isa>;
    DNNL_INLINE static group load_b(const void *p) {
        return widen_bytes<Isa>(acc::load(static_cast<const s32 *>(p)), B {});
    }
    DNNL_INLINE static group load_a(const void *p) {
        if constexpr (is_byte<A>)
            return widen_bytes<Isa>(acc::set(four_bytes(p)), A {});
        else
            return {acc::set(four_bytes(p)), acc::set(four_bytes(static_cast<const A *>(p) + 2))};
    }
    // Rows of A are filled up with zeros.
    DNNL_INLINE static group load_a_tail(const void *, int) { return {acc::zero(), acc::zero()}; }
    DNNL_INLINE static acc step(acc c, group a, group b) {
        return c + (acc {madd_epi16(a.even.v, b.even.v)} + acc {madd_epi16(a.odd.v, b.odd.v)});
    }
};
// Both widened: the even bytes of a group are one pair, the odd ones the next.
template <class Isa> struct dot<Isa, wide_byte, wide_byte> : dot_of_groups<2> {
    using acc = vec<s32, Isa>;
    DNNL_INLINE static acc load_b(const void *p) { return acc::load(static_cast<const s32 *>(p)); }
    DNNL_INLINE static acc load_a(const void *p) { return acc::set(four_bytes(p)); }
    DNNL_INLINE static acc load_a_tail(const void *, int) { return acc::zero(); }
    // In asm with few registers, of which GCC 12 otherwise takes more than there are.
    DNNL_INLINE static acc step(acc c, acc a, acc b) {
        if constexpr (sizeof(acc) == 32) {
            acc products;
            __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0"
                    : "+x"(c.v), "=&x"(products.v)
                    : "x"(a.v), "x"(b.v));
            return c;
        }
        return c + acc {madd_epi16(a.v, b.v)};
    }
};

// Returns c + the sum of four products of unsigned bytes of u and signed bytes of s. It is one
// instruction in asm, because GCC 12 copies accumulators around the intrinsic, at half the speed.
template <class Isa>
DNNL_INLINE vec<s32, Isa> dot_bytes(vec<s32, Isa> c, vec<s32, Isa> u, vec<s32, Isa> s) {
    if constexpr (Isa::vector_bytes == 64)
        asm("vpdpbusd %2, %1, %0" : "+v"(c.v) : "v"(u.v), "v"(s.v));
    else
        asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(c.v) : "x"(u.v), "x"(s.v));
    return c;
}

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

/// Returns sum + 128 * the four bytes of each lane.
template <class Isa> DNNL_INLINE vec<s32, Isa> add_128_times(vec<s32, Isa> sum, vec<s32, Isa> b) {
    return dot_bytes(sum, vec<s32, Isa>::set(static_cast<s32>(0x80808080u)), b);
}

} // namespace dnnl::impl::cpu
