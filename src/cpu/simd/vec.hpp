// SPDX-License-Identifier: Apache-2.0
// Vectors of f32 and s32 as wide as the registers of an instruction set, for kernels only.
// All widths have the same operations:
//
//   vec<f32, Isa>, vec<s32, Isa>, mask<Isa>; size = lanes per vector
//   make:     zero(), set(x) in every lane, iota() 0 1 2 ... (s32)
//   memory:   load(p), store(p): any alignment; load(p, n), store(p, n): only the first n lanes
//             (0 <= n <= size) touch memory, the other lanes load as zero; gather(p, i): p[i] for
//             each lane (f32)
//   f32:      + - * / unary -, fma(a,b,c) = a*b+c, fnma(a,b,c) = c-a*b (rounded once),
//             min, max (the second operand when either is NaN), min_nan, max_nan (NaN when
//             either is NaN), abs, sqrt, round_even, floor, truncate, copy_sign(magnitude, sign)
//   s32:      + - * (low 32 bits) & | ^, min, max,
//             shift_left<n>, shift_right<n> (logical), shift_right_signed<n>
//   compare:  < <= > >= == != give mask<Isa> (false with NaN, but for !=), is_nan(a)
//   mask:     & | ~, any(m), all(m), first(n) = the first n lanes
//   choose:   select(m, a, b) = m ? a : b, lane by lane
//   convert:  to_s32_round(f32): nearest even, not saturating; to_s32_saturate(f32): nearest even,
//             saturated, NaN gives 0; to_f32(s32): nearest even
//   bits:     as_s32(f32), as_f32(s32): the same 32 bits of each lane
//   across:   reduce_add, reduce_max, reduce_min: one number, fixed tree order
//
// Loads and stores of other element types are in convert.hpp.
#pragma once

#include "cpu/simd/registers.hpp"

namespace dnnl::impl::cpu {

// One tag per compiled instruction set. A kernel is a template over a tag, so that every
// instantiation has its own name (doc/architecture.md, "One source, many instruction sets").
struct sse41 {
    static constexpr int vector_bytes = 16, vector_registers = 16;
    static constexpr bool vnni = false, bf16_pairs = false;
};
struct avx2 {
    static constexpr int vector_bytes = 32, vector_registers = 16;
    static constexpr bool vnni = false;       // multiplies groups of four bytes in one instruction
    static constexpr bool bf16_pairs = false; // multiplies pairs of bf16 in one instruction
};
struct avx2_vnni : avx2 {
    static constexpr bool vnni = true;
};

struct avx512 {
    static constexpr int vector_bytes = 64, vector_registers = 32;
    static constexpr bool vnni = false, bf16_pairs = false;
};
struct avx512_vnni : avx512 {
    static constexpr bool vnni = true;
};
struct avx512_bf16 : avx512 {
    static constexpr bool bf16_pairs = true;
};
struct avx512_vbmi : avx512 {}; // looks up bytes in registers
struct amx : avx512 {};         // multiplies by tiles; its vectors need no more than AVX512_CORE

/// The lowest tag with registers of this width: kernels without a version of their own for a
/// higher tag are compiled for it.
template <int VectorBytes> struct lowest_isa { using tag = avx512; };
template <> struct lowest_isa<32> { using tag = avx2; };
template <> struct lowest_isa<16> { using tag = sse41; };
#if defined(DNNL_ISA)
using this_isa = DNNL_ISA; ///< the tag that the build compiles the including kernel source for
#endif

template <class T, class Isa, int Bytes = Isa::vector_bytes> struct vec;

template <class T>
concept is_byte = __is_same(T, s8) || __is_same(T, u8);

/// In the place of a number of lanes: every lane of the vector touches memory.
struct all_lanes {};

template <class Isa, int Bytes> struct vec<s32, Isa, Bytes> {
    using element = s32;
    static constexpr int size = Bytes / 4;
    using lanes = mask<Isa, Bytes>;
    using reg = typename registers<Bytes>::integers;
    reg v;

    DNNL_INLINE static vec zero() { return {reg {}}; }
    DNNL_INLINE static vec set(s32 x) { return {registers<Bytes>::set(x)}; }
    DNNL_INLINE static vec iota() { return {numbers_in_order(reg {})}; }
    DNNL_INLINE static vec load(const s32 *p, all_lanes = {}) {
        return {*reinterpret_cast<const typename registers<Bytes>::integers_anywhere *>(p)};
    }
    DNNL_INLINE static vec load(const s32 *p, lanes m) { return {load_lanes(p, m.v)}; }
    DNNL_INLINE static vec load(const s32 *p, dim_t n) { return load(p, lanes::first(n)); }
    DNNL_INLINE void store(s32 *p, all_lanes = {}) const {
        *reinterpret_cast<typename registers<Bytes>::integers_anywhere *>(p) = v;
    }
    DNNL_INLINE void store(s32 *p, lanes m) const { store_lanes(p, m.v, v); }
    DNNL_INLINE void store(s32 *p, dim_t n) const {
        if (Bytes < 64 && n >= size) return store(p); // the reason is that of f32
        store(p, lanes::first(n));
    }

    DNNL_INLINE friend vec operator+(vec a, vec b) { return {add_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec operator-(vec a, vec b) { return {sub_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec operator*(vec a, vec b) { return {mullo_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec operator&(vec a, vec b) { return {a.v & b.v}; }
    DNNL_INLINE friend vec operator|(vec a, vec b) { return {a.v | b.v}; }
    DNNL_INLINE friend vec operator^(vec a, vec b) { return {a.v ^ b.v}; }
    DNNL_INLINE friend vec min(vec a, vec b) { return {min_epi32(a.v, b.v)}; }
    DNNL_INLINE friend vec max(vec a, vec b) { return {max_epi32(a.v, b.v)}; }

    DNNL_INLINE friend lanes operator==(vec a, vec b) { return {equal(a.v, b.v)}; }
    DNNL_INLINE friend lanes operator!=(vec a, vec b) { return {not_equal(a.v, b.v)}; }
    DNNL_INLINE friend lanes operator>(vec a, vec b) { return {greater(a.v, b.v)}; }
    DNNL_INLINE friend lanes operator<(vec a, vec b) { return b > a; }
    DNNL_INLINE friend lanes operator>=(vec a, vec b) { return {at_least(a.v, b.v)}; }
    DNNL_INLINE friend lanes operator<=(vec a, vec b) { return b >= a; }
    DNNL_INLINE friend vec select(lanes m, vec a, vec b) { return {blend(m.v, a.v, b.v)}; }
};

template <int N, class Isa, int Bytes>
DNNL_INLINE vec<s32, Isa, Bytes> shift_left(vec<s32, Isa, Bytes> a) {
    return {slli_epi32<N>(a.v)};
}
template <int N, class Isa, int Bytes>
DNNL_INLINE vec<s32, Isa, Bytes> shift_right(vec<s32, Isa, Bytes> a) {
    return {srli_epi32<N>(a.v)};
}
template <int N, class Isa, int Bytes>
DNNL_INLINE vec<s32, Isa, Bytes> shift_right_signed(vec<s32, Isa, Bytes> a) {
    return {srai_epi32<N>(a.v)};
}

template <class Isa, int Bytes> struct vec<f32, Isa, Bytes> {
    using element = f32;
    static constexpr int size = Bytes / 4;
    using lanes = mask<Isa, Bytes>;
    using integers = vec<s32, Isa, Bytes>;
    using reg = typename registers<Bytes>::floats;
    reg v;

    DNNL_INLINE static vec zero() { return {reg {}}; }
    DNNL_INLINE static vec set(f32 x) { return {registers<Bytes>::set(x)}; }
    DNNL_INLINE static vec load(const f32 *p, all_lanes = {}) {
        return {*reinterpret_cast<const typename registers<Bytes>::floats_anywhere *>(p)};
    }
    DNNL_INLINE static vec load(const f32 *p, lanes m) { return {load_lanes(p, m.v)}; }
    DNNL_INLINE static vec load(const f32 *p, dim_t n) { return load(p, lanes::first(n)); }
    DNNL_INLINE static vec gather(const f32 *p, integers i) { return {gathered(p, i.v)}; }
    DNNL_INLINE void store(f32 *p, all_lanes = {}) const {
        *reinterpret_cast<typename registers<Bytes>::floats_anywhere *>(p) = v;
    }
    DNNL_INLINE void store(f32 *p, lanes m) const { store_lanes(p, m.v, v); }
    // A store with a mask of AVX2 takes some 40 cycles on AMD's processors, also with all lanes.
    DNNL_INLINE void store(f32 *p, dim_t n) const {
        if (Bytes < 64 && n >= size) return store(p);
        store(p, lanes::first(n));
    }

    DNNL_INLINE friend vec operator+(vec a, vec b) { return {add_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator-(vec a, vec b) { return {sub_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator*(vec a, vec b) { return {mul_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator/(vec a, vec b) { return {div_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec operator-(vec a) { return {xor_ps(a.v, set(-0.0f).v)}; }
    DNNL_INLINE friend vec fma(vec a, vec b, vec c) { return {multiply_add(a.v, b.v, c.v)}; }
    DNNL_INLINE friend vec fnma(vec a, vec b, vec c) { return {subtract_from(a.v, b.v, c.v)}; }
    DNNL_INLINE friend vec min(vec a, vec b) { return {min_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec max(vec a, vec b) { return {max_ps(a.v, b.v)}; }
    DNNL_INLINE friend vec abs(vec a) { return {andnot_ps(set(-0.0f).v, a.v)}; }
    DNNL_INLINE friend vec sqrt(vec a) { return {sqrt_ps(a.v)}; }
    DNNL_INLINE friend vec round_even(vec a) {
        return {rounded<_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC>(a.v)};
    }
    DNNL_INLINE friend vec floor(vec a) {
        return {rounded<_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC>(a.v)};
    }
    DNNL_INLINE friend vec truncate(vec a) {
        return {rounded<_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC>(a.v)};
    }
    DNNL_INLINE friend vec copy_sign(vec magnitude, vec sign) {
        const reg sign_bit = set(-0.0f).v;
        return {or_ps(andnot_ps(sign_bit, magnitude.v), and_ps(sign_bit, sign.v))};
    }

    template <int Predicate> DNNL_INLINE static lanes compare(vec a, vec b) {
        return {compared<Predicate>(a.v, b.v)};
    }
    DNNL_INLINE friend lanes operator<(vec a, vec b) { return compare<_CMP_LT_OQ>(a, b); }
    DNNL_INLINE friend lanes operator<=(vec a, vec b) { return compare<_CMP_LE_OQ>(a, b); }
    DNNL_INLINE friend lanes operator>(vec a, vec b) { return compare<_CMP_GT_OQ>(a, b); }
    DNNL_INLINE friend lanes operator>=(vec a, vec b) { return compare<_CMP_GE_OQ>(a, b); }
    DNNL_INLINE friend lanes operator==(vec a, vec b) { return compare<_CMP_EQ_OQ>(a, b); }
    DNNL_INLINE friend lanes operator!=(vec a, vec b) { return compare<_CMP_NEQ_UQ>(a, b); }
    DNNL_INLINE friend lanes is_nan(vec a) { return compare<_CMP_UNORD_Q>(a, a); }
    DNNL_INLINE friend vec select(lanes m, vec a, vec b) { return {blend(m.v, a.v, b.v)}; }
    DNNL_INLINE friend vec min_nan(vec a, vec b) { return select(is_nan(a), a, min(a, b)); }
    DNNL_INLINE friend vec max_nan(vec a, vec b) { return select(is_nan(a), a, max(a, b)); }

    DNNL_INLINE friend integers as_s32(vec a) {
        return {reinterpret_cast<typename integers::reg>(a.v)};
    }
    DNNL_INLINE friend integers to_s32_round(vec a) { return {to_integers(a.v)}; }
    DNNL_INLINE friend integers to_s32_saturate(vec a) {
        const integers rounded = to_s32_round(a); // INT32_MIN outside the range and for NaN
        const integers no_nan = select(is_nan(a), integers::zero(), rounded);
        return select(a >= set(2147483648.0f), integers::set(INT32_MAX), no_nan);
    }
};

template <class Isa, int Bytes> DNNL_INLINE vec<f32, Isa, Bytes> as_f32(vec<s32, Isa, Bytes> a) {
    return {reinterpret_cast<typename registers<Bytes>::floats>(a.v)};
}
template <class Isa, int Bytes> DNNL_INLINE vec<f32, Isa, Bytes> to_f32(vec<s32, Isa, Bytes> a) {
    return {to_floats(a.v)};
}

// a * b + c, rounded twice where no instruction rounds once.
template <class V> DNNL_INLINE V multiply_accumulate(V a, V b, V c) {
    if constexpr (sizeof(V) == 16)
        return a * b + c;
    else
        return fma(a, b, c);
}

// c + a * b, likewise, in the register of c: of many sums GCC moves some from register to register.
template <class V> DNNL_INLINE V add_product(V c, V a, V b) {
#if defined(__AVX2__) && !defined(__AVX512F__)
    if constexpr (sizeof(V) == 32) {
        __asm__("vfmadd231ps %2, %1, %0" : "+x"(c.v) : "x"(a.v), "x"(b.v));
        return c;
    }
#endif
    return multiply_accumulate(a, b, c);
}

// ---- Across the lanes ----

template <class T, class Isa, int Bytes>
DNNL_INLINE vec<T, Isa, Bytes / 2> low_half(vec<T, Isa, Bytes> a) {
    return {half(a.v, 0)};
}
template <class T, class Isa, int Bytes>
DNNL_INLINE vec<T, Isa, Bytes / 2> high_half(vec<T, Isa, Bytes> a) {
    return {half(a.v, 1)};
}
// Halves, again and again, until one lane has the result.
template <class T, class Isa, int Bytes, class F>
DNNL_INLINE T reduce(vec<T, Isa, Bytes> a, const F &f) {
    if constexpr (Bytes > 16) {
        return reduce(f(low_half(a), high_half(a)), f);
    } else {
        using v = vec<T, Isa, 16>;
        const v two = f(a, v {upper_half(a.v)});
        return first_lane(f(two, v {second_lane(two.v)}).v);
    }
}
template <class T, class Isa, int Bytes> DNNL_INLINE T reduce_add(vec<T, Isa, Bytes> a) {
    return reduce(
        a, [](auto x, auto y) __attribute__((always_inline)) { return x + y; });
}
template <class T, class Isa, int Bytes> DNNL_INLINE T reduce_max(vec<T, Isa, Bytes> a) {
    return reduce(
        a, [](auto x, auto y) __attribute__((always_inline)) { return max(x, y); });
}
template <class T, class Isa, int Bytes> DNNL_INLINE T reduce_min(vec<T, Isa, Bytes> a) {
    return reduce(
        a, [](auto x, auto y) __attribute__((always_inline)) { return min(x, y); });
}

/// Stores a register of 64 bytes, vec or lanes, at a multiple of 64 and past the caches: an sfence
/// has to follow the last one. For shorter ones it does nothing, and is not called.
template <class Register>
DNNL_INLINE void stream([[maybe_unused]] void *p, [[maybe_unused]] const Register &x) {
#if defined(__AVX512F__)
    if constexpr (sizeof x.v == 64)
        _mm512_stream_si512(static_cast<__m512i *>(p), reinterpret_cast<__m512i>(x.v));
#endif
}

/// Stores a register, past the caches where `past`. (A loop is not made twice for its sake.)
template <class Register> DNNL_INLINE void store_register(void *p, const Register &x, bool past) {
    __asm__("" : "+r"(past));
    if (sizeof x.v == 64 && __builtin_expect(past, 0)) return stream(p, x);
    x.store(static_cast<typename Register::element *>(p));
}

/// Calls f(0), ..., f(N - 1), without a loop: what they index stays in registers.
template <int N, class F> DNNL_INLINE void for_each_of(const F &f) {
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) f(i);
}

} // namespace dnnl::impl::cpu
