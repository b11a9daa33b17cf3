// SPDX-License-Identifier: Apache-2.0
// The GEMM block kernels, one family for all instruction sets and types. See kernel_types.hpp for
// the contract; baseline code gets kernels from select.hpp.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// The block kernel for A and B of the given element types. Defined once per instruction set.
template <class Isa, class A, class B> gemm_kernel gemm();

} // namespace dnnl::impl::cpu
