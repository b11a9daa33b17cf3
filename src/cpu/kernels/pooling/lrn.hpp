// SPDX-License-Identifier: Apache-2.0
// The kernels of local response normalization.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

/// A tensor's part of a slab. A row is cut into runs of run_length adjacent elements (lrn_args),
/// run_stride apart. Strides are in elements.
struct lrn_tensor {
    void *data;
    dim_t plane_stride, row_stride, run_stride;
};

/// A slab of planes x rows x row_length elements. The window of an element reaches half_planes,
/// half_rows and half_row positions to both sides; neighbours along a row are row_step elements
/// apart. omega = k + factor * (sum of src^2 over the window).
///   forward:  dst = src * omega^-beta
///   backward: dst = diff * omega^-beta
///                 - 2 factor beta * src * sum over the window of diff * src * omega^(-beta - 1)
/// Sums run along the row, then the rows, then the planes, in f32.
struct lrn_args {
    data_type type;            // f32, bf16 or f16
    lrn_tensor src, diff, dst; // diff: diff_dst, backward only
    dim_t planes, rows, row_length, run_length;
    dim_t half_planes, half_rows, half_row, row_step;
    f32 factor, k, beta;
    f32 *buffer; // lrn_buffer_size() elements
};
using lrn_function = void (*)(const lrn_args &);

/// Elements of a row in the buffer: whole vectors, with room for zeros on both sides.
DNNL_INLINE dim_t lrn_pitch(const lrn_args &a) {
    return (a.row_length + 2 * a.half_row * a.row_step + 15) / 16 * 16;
}
DNNL_INLINE dim_t lrn_buffer_size(const lrn_args &a) {
    return 4 * a.planes * a.rows * lrn_pitch(a);
}

template <class Isa> void lrn_forward(const lrn_args &args);
template <class Isa> void lrn_backward(const lrn_args &args);

} // namespace dnnl::impl::cpu
