// SPDX-License-Identifier: Apache-2.0
// Steps of the normalizations over rows of adjacent elements: sums, sums of squared deviations,
// sums for gradients, and the results. Statistics and vectors of scale and shift may vary along
// rows or along columns, so one kernel serves all layouts and all three primitives.
#pragma once

#include "cpu/kernels/kernel_types.hpp"
#include "cpu/kernels/movement/movement.hpp"

namespace dnnl::impl::cpu {

/// A value under each element: data[r * row_stride + j * column_stride]; column_stride is 0 or 1.
struct normalize_values {
    const f32 *data;
    dim_t row_stride, column_stride;
};

/// The tensors of the tile: dst, src, diff and passed; passed is u8 and written by forward, and has
/// no data where there is no relu. d = diff where `passed` is not 0 (everywhere without it), z =
/// (src - mean) * inverse, and s(r, j) the element of the sums under (r, j), strides as in
/// normalize_values:
///   sums:          s += src
///   squares:       s += (src - mean)^2
///   gradient_sums: s += scale * d, product s += scale * d * z; no scale: 1
///   forward:       y = (src - mean) * (inverse * scale) + shift; relu: passed = y > 0, y = max(0,
///   y);
///                  dst = y, or what the epilogue makes of it
///   backward:      dst = inverse * (scale * d - (sum_part + z * product_part)); no parts: 0
/// Sums are added up in several levels, so that no chain of f32 additions is long.
struct normalize_args {
    row_tile tile;
    normalize_values mean, inverse, scale, shift;
    normalize_values sum_part, product_part;
    f32 *sums, *products;
    dim_t sums_row_stride, sums_column_stride;
    bool relu;
};
using normalize_function = void (*)(const normalize_args &);

/// inverse = 1 / sqrt(variance + epsilon), in f64 and rounded once.
template <class Isa>
void inverse_deviations(const f32 *variance, dim_t n, f32 epsilon, f32 *inverse);
using inverse_deviations_function = void (*)(const f32 *, dim_t, f32, f32 *);

template <class Isa> void normalize_sums(const normalize_args &args);
template <class Isa> void normalize_squares(const normalize_args &args);
template <class Isa> void normalize_gradient_sums(const normalize_args &args);
template <class Isa> void normalize_forward(const normalize_args &args);
template <class Isa> void normalize_backward(const normalize_args &args);

// ---- Between kernels: the same steps where every row has the same statistics, scales and shifts,
// one for each column (channels-last layouts), and tensors are of f32 or bf16, all of one type.
// Each does its step and returns true, or returns false where the tensors are of another kind ----

template <class Isa> bool sums_by_channel(const normalize_args &args);
template <class Isa> bool squares_by_channel(const normalize_args &args);
template <class Isa> bool gradient_sums_by_channel(const normalize_args &args);
template <class Isa> bool forward_by_channel(const normalize_args &args);
template <class Isa> bool backward_by_channel(const normalize_args &args);

} // namespace dnnl::impl::cpu
