// SPDX-License-Identifier: Apache-2.0
// Reductions of rows and columns into totals in f64, and what becomes of the totals.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// What an element x does to its total t.
enum class reduced_by : std::int32_t {
    max,        ///< t = max(t, x), NaN when one of them is
    min,        ///< t = min(t, x), NaN when one of them is
    sum,        ///< t + x
    product,    ///< t * x; of integers within +-1e300
    abs_sum,    ///< t + |x|
    square_sum, ///< t + x * x
    power_sum   ///< t + |x|^p
};

/// Element (r, c) is at src + r * row + c * column elements. Up to 64 elements are added up in f32
/// (s8, u8: s32) before they join their total; sums of s32 and products go into f64 one by one. The
/// order is the same on every instruction set.
struct reduce_args {
    reduced_by what;
    f32 p;
    const void *src;
    data_type type; // f32 bf16 f16 s32 s8 u8 f8_e5m2 f8_e4m3
    dim_t row, column;
    dim_t rows, columns;
    double *totals;
};
using reduce_function = void (*)(const reduce_args &);

/// One total per column; at most row_piece columns.
template <class Isa> void reduce_columns(const reduce_args &args);
/// One total per row; column is 1.
template <class Isa> void reduce_rows(const reduce_args &args);

/// What is done with epsilon.
enum class epsilon_rule : std::int32_t { unused, at_least, added };

/// y = (total / divisor, then epsilon)^(1 / p); then the epilogue and the conversion.
struct reduce_finish_args {
    const double *totals;
    dim_t columns; // at most row_piece
    double divisor;
    epsilon_rule rule;
    double epsilon;
    bool has_root;
    f32 p, root_high, root_low; // 1 / p in two parts
    bool integer;               // y goes to an integer dst without passing through f32
    void *dst;                  // adjacent elements
    data_type dst_type;
    const epilogue *finish; // null: none; steps see the position (0, column)
};
using reduce_finish_function = void (*)(const reduce_finish_args &);

template <class Isa> void reduce_finish(const reduce_finish_args &args);

} // namespace dnnl::impl::cpu
