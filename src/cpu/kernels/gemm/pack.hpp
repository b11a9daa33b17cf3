// SPDX-License-Identifier: Apache-2.0
// Copies matrices into the panels of the GEMM block kernels (doc/kernels.md).
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

} // namespace dnnl::impl::cpu
