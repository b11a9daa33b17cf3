// SPDX-License-Identifier: Apache-2.0
// The steps of batch, layer and group normalization: sums, sums of deviations and their squares,
// sums for gradients, and the results. Statistics, scale and shift may vary along rows or along
// columns, so one kernel serves all layouts and all three primitives.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/movement/movement.hpp"

namespace dnnl::impl::cpu {

/// A value under each element: data[r * row_stride + j * column_stride]; column_stride is 0 or 1.
struct normalize_values {
    const f32 *data;
    dim_t row_stride, column_stride;
};

/// The tensors of the tile are dst, src, diff and passed. passed is u8, written by forward and read
/// for gradients; null data: there is none. In the formulas d is diff where `passed` is not 0
/// (everywhere without it) and else 0, z = (src - mean) * inverse, and s is the element of the sums
/// that belongs to an element of the tile, with strides as in normalize_values:
///   sums:          s += src
///   deviations:    s += src - mean, product s += (src - mean)^2
///   gradient_sums: s += scale * d, product s += scale * d * z; no scale: 1
///   forward:       y = (src - mean) * (inverse * scale) + shift; relu: passed = y > 0, y = max(0,
///   y);
///                  dst = y, or what the epilogue makes of it
///   backward:      dst = inverse * (scale * d - (sum_part + z * product_part)); no parts: 0
/// Sums restart after some rows, which bounds their rounding errors.
struct normalize_args {
    row_tile tile;
    normalize_values mean, inverse, scale, shift;
    normalize_values sum_part, product_part;
    f32 *sums, *products;
    dim_t sums_row_stride, sums_column_stride;
    bool relu;
    dim_t tensor_bytes; // of the whole tensors: caches hold them or not
};
using normalize_function = void (*)(const normalize_args &);

/// inverse = 1 / sqrt(variance + epsilon), in f64 and rounded once.
template <class Isa>
void inverse_deviations(const f32 *variance, dim_t n, f32 epsilon, f32 *inverse);
using inverse_deviations_function = void (*)(const f32 *, dim_t, f32, f32 *);

template <class Isa> void normalize_sums(const normalize_args &args);
template <class Isa> void normalize_deviations(const normalize_args &args);
template <class Isa> void normalize_gradient_sums(const normalize_args &args);
template <class Isa> void normalize_forward(const normalize_args &args);
template <class Isa> void normalize_backward(const normalize_args &args);

/// For normalize.cpp: does a step where statistics, scale and shift have one value for each column
/// (channels-last layouts) and all tensors are f32 or all bf16, and returns true; or returns false,
/// with nothing done, for other tensors.
enum class normalize_step { sums, deviations, gradient_sums, forward, backward };
template <class Isa> bool run_by_channel(normalize_step step, const normalize_args &args);

// ---- Rows with statistics of their own: all steps in one call, while a row is in L1 or L2 ----

/// src and dst have rows of adjacent elements of one type, `stride` elements apart. The kernel
/// writes the mean and the variance of each row (`mean` null: 0 is the mean, and only the variance
/// is written), then
///   dst = (src - mean) * (1 / sqrt(variance + epsilon) * scale[column]) + shift[column]
/// A null scale is 1, a null shift 0. dst may be src.
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
