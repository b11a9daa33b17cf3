// SPDX-License-Identifier: Apache-2.0
// Copies matrices into the panels of the GEMM block kernels (doc/kernels.md), and converts
// compressed weights on their way into panels of f32, bf16 or bytes.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

/// Copies a k x n matrix into B panels, with zeros from k to k_padded and from n to whole panels.
/// Element (p, j) is at src + p * k_stride + j * n_stride, in elements of the type.
struct pack_b_args {
    const void *src;
    dim_t k_stride, n_stride;
    dim_t k, n;
    dim_t k_padded;    // k written, a multiple of k_group; for the blocked tags of k_panel
    void *dst;         // first panel
    dim_t panel_bytes; // from one column panel to the next
    s32 *column_sums;  // int8: takes the sums over k of the n columns in addition; or null
};

using pack_b_function = void (*)(const pack_b_args &);

/// Panels have 64 columns of f32, 32 of bf16, f16, s8 and u8 (T). Strides are arbitrary.
template <class Isa, class T> void pack_b(const pack_b_args &args);

/// dst[k][n] = scale[n] * (src[k][n] - zero_point[n]) for columns [0, n) of a panel of 64, each
/// operation rounded to f32; zeros from n on.
struct expand_args {
    const void
        *src;       // its columns are adjacent; 4 bits: two per byte, the first one in the low half
    dim_t k_stride; // elements from k to k + 1; even where they have 4 bits
    dim_t k, n;
    const f32 *scale, *zero_point; // n values, or one where the stride is 0; null: 1, 0
    dim_t scale_stride, zero_point_stride;
    void *dst;         // elements of the panel's type
    dim_t panel_bytes; // of bytes: from panel to panel, where n is more than one has
    s32 *column_sums;  // of bytes: added to, where not null
};

using expand_function = void (*)(const expand_args &);

/// The function that expands elements s8, u8, s4, u4, f8, bf16 and f16 into a panel of f32; null
/// for other types. Two more kinds of panel have 32 columns (n is at most that) and take integers
/// and f8 as they are, without scales and zero points: panels of bf16, two k together, and panels
/// of bytes, four k together, from 4-bit elements of the same sign, many panels in one call.
/// Defined for the tags avx2 and avx512.
template <class Isa> expand_function expand_from(data_type type, data_type panel);

// Rows of plain weights lie in pages of their own, where the processor finds no stream: kernels
// that read a piece of one row after another ask for pieces of later rows. (Measured on a Zen 5,
// from L3 and from memory: 1.1 to 2.2 times faster.)

/// The row that is asked for comes so many rows later.
inline constexpr dim_t rows_ahead = 64;

/// Brings `bytes` bytes from p on into L2. Addresses that are not mapped do no harm.
DNNL_INLINE void ask_for(const void *p, dim_t bytes = 64) {
    for (dim_t byte = 0; byte < bytes; byte += 64)
        __builtin_prefetch(static_cast<const char *>(p) + byte, 0, 2);
}

} // namespace dnnl::impl::cpu
