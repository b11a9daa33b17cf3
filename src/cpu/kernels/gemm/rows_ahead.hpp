// SPDX-License-Identifier: Apache-2.0
// Rows of plain weights lie in pages of their own, where the processor finds no stream: kernels
// that read a piece of one row after another ask for pieces of later rows. (Measured on a Zen 5,
// from L3 and from memory: 1.1 to 2.2 times faster.)
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

/// The row that is asked for comes so many rows later.
inline constexpr dim_t rows_ahead = 64;

/// Brings `bytes` bytes from p on into L2. Addresses that are not mapped do no harm.
DNNL_INLINE void ask_for(const void *p, dim_t bytes = 64) {
    for (dim_t byte = 0; byte < bytes; byte += 64)
        __builtin_prefetch(static_cast<const char *>(p) + byte, 0, 2);
}

} // namespace dnnl::impl::cpu
