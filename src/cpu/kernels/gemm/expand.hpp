// SPDX-License-Identifier: Apache-2.0
// Converts compressed weights on their way into panels of f32, bf16 or bytes.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

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

} // namespace dnnl::impl::cpu
