// SPDX-License-Identifier: Apache-2.0
// One tag per compiled instruction set. A kernel is a template over a tag, so that every
// instantiation has its own name (doc/architecture.md, "One source, many instruction sets").
#pragma once

namespace dnnl::impl::cpu {

struct avx2 {
    static constexpr int vector_bytes = 32, vector_registers = 16;
    static constexpr bool vnni = false; // multiplies groups of four bytes in one instruction
};
struct avx2_vnni : avx2 {
    static constexpr bool vnni = true;
};

struct avx512 {
    static constexpr int vector_bytes = 64, vector_registers = 32;
    static constexpr bool vnni = false;
};
struct avx512_vnni : avx512 {
    static constexpr bool vnni = true;
};
struct amx : avx512 {}; // multiplies by tiles; its vectors need no more than AVX512_CORE

/// The lowest tag with registers of this width: kernels without a version of their own for a
/// higher tag are compiled for it.
template <int VectorBytes> struct lowest_isa { using tag = avx512; };
template <> struct lowest_isa<32> { using tag = avx2; };

} // namespace dnnl::impl::cpu
