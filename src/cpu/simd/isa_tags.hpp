// SPDX-License-Identifier: Apache-2.0
// One tag per compiled instruction set. A kernel is a template over a tag, so that every
// instantiation has its own name (doc/architecture.md, "One source, many instruction sets").
#pragma once

namespace dnnl::impl::cpu {

struct avx2 {
    static constexpr int vector_bytes = 32, vector_registers = 16;
};
struct avx2_vnni : avx2 {};

struct avx512 {
    static constexpr int vector_bytes = 64, vector_registers = 32;
};
struct avx512_vnni : avx512 {};
struct avx512_bf16 : avx512_vnni {};
struct avx512_fp16 : avx512_bf16 {};
struct amx : avx512_fp16 {};

} // namespace dnnl::impl::cpu
