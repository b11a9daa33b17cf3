// SPDX-License-Identifier: Apache-2.0
// Vectors of f32 and s32 as wide as the registers of an instruction set, for kernels only.
// vec_256.hpp and vec_512.hpp give both widths the same operations:
//
//   vec<f32, Isa>, vec<s32, Isa>, mask<Isa>; size = lanes per vector
//   make:     zero(), set(x) in every lane, iota() 0 1 2 ... (s32)
//   memory:   load(p), store(p): any alignment; load(p, n), store(p, n): only the first n lanes
//             (0 <= n <= size) touch memory, the other lanes load as zero; gather(p, i): p[i] for
//             each lane (f32)
//   f32:      + - * / unary -, fma(a,b,c) = a*b+c, fnma(a,b,c) = c-a*b, min, max (the second
//             operand when either is NaN), min_nan, max_nan (NaN when either is NaN), abs, sqrt,
//             round_even, floor, truncate, copy_sign(magnitude, sign)
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

#include "common/plain_types.hpp"

#include <immintrin.h>

namespace dnnl::impl::cpu {

// One tag per compiled instruction set. A kernel is a template over a tag, so that every
// instantiation has its own name (doc/architecture.md, "One source, many instruction sets").
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
#if defined(DNNL_ISA)
using this_isa = DNNL_ISA; ///< the tag that the build compiles the including kernel source for
#endif

template <class T, class Isa, int Bytes = Isa::vector_bytes> struct vec;
template <class Isa, int Bytes = Isa::vector_bytes> struct mask;

template <class T>
concept is_byte = __is_same(T, s8) || __is_same(T, u8);

/// In the place of a number of lanes: every lane of the vector touches memory.
struct all_lanes {};

} // namespace dnnl::impl::cpu

#if defined(__AVX2__)
#include "cpu/simd/vec_256.hpp"
#endif
#if defined(__AVX512F__)
#include "cpu/simd/vec_512.hpp"
#endif
