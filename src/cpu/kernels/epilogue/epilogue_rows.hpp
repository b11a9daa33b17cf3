// SPDX-License-Identifier: Apache-2.0
// The epilogue (kernel_types.hpp) on rows of accumulators, by interpretation of its steps.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// Defined for the tags avx2 and avx512.
template <class Isa> void epilogue_rows(const epilogue_rows_args &args);

} // namespace dnnl::impl::cpu
