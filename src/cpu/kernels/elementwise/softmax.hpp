// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax, forward and backward, over lines of `length` elements.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// Columns that softmax_columns takes at most in one call.
inline constexpr dim_t softmax_stripe = 64;

/// One tensor: element x of line l is at data + x * step + l * line_stride elements.
struct softmax_tensor {
    const void *data;
    data_type type;
    dim_t step, line_stride;
};

/// forward:  m = max(src), e = exp(src - m), dst = e / sum(e), or (src - m) - ln(sum(e)) for log;
///           then the epilogue
/// backward: src is diff_dst, saved the forward dst, dst diff_src:
///           dst = saved * (src - sum(saved * src)), or src - exp(saved) * sum(src) for log
/// Sums run over 16 lanes, in the same order on every instruction set.
struct softmax_args {
    bool log;
    dim_t length, lines;
    softmax_tensor src, saved;
    void *dst;
    data_type dst_type;
    dim_t dst_step, dst_line_stride;
    f32 *buffer; // rows: 2 * length rounded up to 16; columns: 2 * length * softmax_stripe
    const epilogue *finish; // forward, may be null. rows: position (line, x); columns: (x, line)
};
using softmax_function = void (*)(const softmax_args &);

/// Lines whose elements are adjacent in dst; dst_step is 1.
template <class Isa> void softmax_rows(const softmax_args &args);
template <class Isa> void softmax_rows_backward(const softmax_args &args);
/// At most softmax_stripe lines that lie side by side in dst; dst_line_stride is 1.
template <class Isa> void softmax_columns(const softmax_args &args);
template <class Isa> void softmax_columns_backward(const softmax_args &args);

} // namespace dnnl::impl::cpu
