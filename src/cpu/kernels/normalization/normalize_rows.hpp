// SPDX-License-Identifier: Apache-2.0
// Normalization of rows with statistics of their own: all steps in one call, so that a row stays in
// L1 or L2 if it fits.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

/// src and dst have rows of adjacent elements of one type, `stride` elements apart. The kernel
/// writes the mean and the variance of each row (`mean` null: 0 is the mean, and only the variance
/// is written), then
///   dst = (src - mean) * (1 / sqrt(variance + epsilon) * scale[column]) + shift[column]
/// A null shift is 0. dst may be src.
struct normalize_rows_args {
    const void *src;
    void *dst;
    dim_t src_stride, dst_stride, rows, columns;
    f32 *mean, *variance; // one for each row
    const f32 *scale, *shift;
    f32 epsilon;
};
using normalize_rows_function = void (*)(const normalize_rows_args &);

template <class Isa, class T> void normalize_rows(const normalize_rows_args &args);

/// The gradients of such rows: with inverse = 1 / sqrt(variance + epsilon), z = (src - mean) *
/// inverse and d = scale[column] * diff,
///   dst = inverse * (d - (mean of d + z * mean of d * z))
/// Where statistics are `given`, both means are left out. Where `mean` is null, 0 is the mean of
/// src and the mean of d is left out. sums[column] += diff and products[column] += diff * z, unless
/// they are null. dst may be diff.
struct gradient_rows_args {
    const void *src, *diff;
    void *dst;
    dim_t src_stride, diff_stride, dst_stride, rows, columns;
    const f32 *mean, *variance; // one for each row
    const f32 *scale;
    f32 *sums, *products;
    f32 epsilon;
    bool given;
};
using gradient_rows_function = void (*)(const gradient_rows_args &);

template <class Isa, class T> void gradient_rows(const gradient_rows_args &args);

} // namespace dnnl::impl::cpu
