// SPDX-License-Identifier: Apache-2.0
// Copies of matrices into the panels of the GEMM block kernels (kernel_types.hpp).
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// B panels of 64 columns for f32, of 32 columns for bf16, f16, s8 and u8 (T). Any strides.
template <class Isa, class T> void pack_b(const pack_b_args &args);

} // namespace dnnl::impl::cpu
