// SPDX-License-Identifier: Apache-2.0
// Forward normalization of rows with statistics of their own, mean, variance and results in one
// call while a row is in L1.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

/// Rows of adjacent elements of one type, `stride` elements apart. mean and variance of a row are
/// written, the variance from the deviations from the mean, which is 0 where `mean` is null; then
///   dst = (src - mean) * (1 / sqrt(variance + epsilon) * scale[column]) + shift[column]
/// dst may be src.
struct normalize_rows_args {
    const void *src;
    void *dst;
    dim_t src_stride, dst_stride, rows, columns;
    f32 *mean, *variance; // one after the other
    const f32 *scale, *shift;
    f32 epsilon;
};
using normalize_rows_function = void (*)(const normalize_rows_args &);

template <class Isa> void normalize_f32_rows(const normalize_rows_args &args);
template <class Isa> void normalize_bf16_rows(const normalize_rows_args &args);

} // namespace dnnl::impl::cpu
