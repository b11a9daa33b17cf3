// SPDX-License-Identifier: Apache-2.0
// PReLU on rows of adjacent elements.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// A row: elements are `stride` apart; 0 broadcasts.
struct prelu_operand {
    const void *data;
    data_type type; // f32 bf16 f16 s32 s8 u8 f8_e5m2 f8_e4m3
    dim_t stride;
};

/// dst = src > 0 ? x : x * weights; forward x is src, backward diff_dst. Integers above 0 stay as
/// they are; products are f32.
struct prelu_args {
    prelu_operand src, x, weights;
    bool forward;
    void *dst; // adjacent elements of x's type
    dim_t columns;
};

/// The gradient of weights: totals in f64, first in f32 up to 64 products each.
///   per column: totals[c] += sum over rows of min(src, 0) * diff_dst, at most row_piece columns
///   else:       totals[0] += the sum over everything
/// Operands' strides are those of columns.
struct prelu_weights_args {
    prelu_operand src, diff_dst;
    dim_t src_row, diff_dst_row; // elements from row to row
    dim_t rows, columns;
    bool per_column;
    double *totals;
};

template <class Isa> void prelu_row(const prelu_args &args);
template <class Isa> void prelu_weights(const prelu_weights_args &args);

} // namespace dnnl::impl::cpu
