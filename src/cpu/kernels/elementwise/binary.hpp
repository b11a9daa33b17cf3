// SPDX-License-Identifier: Apache-2.0
// dst = alg(src0 * scale0, src1 * scale1) on rows, any element types, then the epilogue.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// A source: element (row, column) is at data + row * row_stride + column * column_stride elements;
/// a stride of 0 broadcasts.
struct binary_source {
    const void *data;
    data_type type;
    dim_t row_stride, column_stride;
    f32 scale; // 1 leaves out the multiplication
};

/// Sums and products in f32, all of them in f64 where the tensors are f64. Maximum, minimum,
/// comparisons and select of two integer sources without scales are exact; with `integer` set by
/// the caller.
struct binary_args {
    algorithm alg;
    bool integer; // compute in s32: both sources are s32 s8 u8
    binary_source src0, src1;
    binary_source chooser; // s8, for select only: != 0 takes src0
    void *dst;
    data_type dst_type;
    dim_t dst_row_stride; // elements; columns of dst are adjacent
    dim_t rows, columns;
    const epilogue *finish; // null: none; steps see the position (row, column)
};
using binary_function = void (*)(const binary_args &);

template <class Isa> void binary_rows(const binary_args &args);

} // namespace dnnl::impl::cpu
