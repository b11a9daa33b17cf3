// SPDX-License-Identifier: Apache-2.0
// The only place where an instruction-set mask becomes a kernel; the code itself is baseline.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// The block kernel for A and B of the given types on `target`; run is null when there is none.
/// Pairs: f32 x {f32 bf16 f16}, bf16 x bf16, f16 x f16, {u8 s8} x {s8 u8}.
/// Precondition: has(target, isa::avx2).
gemm_kernel select_gemm(isa target, data_type a, data_type b);

/// Precondition of all: has(target, isa::avx2). Null when there is no such kernel.
epilogue_rows_function select_epilogue_rows(isa target);
pack_b_function select_pack_b(isa target, data_type type);

} // namespace dnnl::impl::cpu
