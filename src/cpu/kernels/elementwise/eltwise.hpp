// SPDX-License-Identifier: Apache-2.0
// Elementwise functions on rows, forward (then the epilogue) and backward.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// Rows of any element types. Element (row, column) of a tensor is row * row_stride + column *
/// column_stride elements after its pointer; columns of dst are adjacent.
///   forward:  dst = epilogue(f(src))
///   backward: dst = src * f'(saved): src is diff_dst, dst is diff_src
struct eltwise_args {
    algorithm alg;
    f32 alpha, beta;
    data_type src_type, saved_type, dst_type;
    const void *src, *saved; // saved: src or dst of the forward pass; backward only
    void *dst;
    dim_t src_row_stride, src_column_stride;
    dim_t saved_row_stride, saved_column_stride;
    dim_t dst_row_stride;
    dim_t rows, columns;
    const epilogue *finish; // forward only, may be null; steps see the position (row, column)
};
using eltwise_function = void (*)(const eltwise_args &);

template <class Isa> void eltwise_forward_rows(const eltwise_args &args);
template <class Isa> void eltwise_backward_rows(const eltwise_args &args);

} // namespace dnnl::impl::cpu
