// SPDX-License-Identifier: Apache-2.0
// Pooling of n adjacent outputs (channels of one pixel, or pixels of one row) whose windows have
// the same shape, forward and backward.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// Output i of n combines the elements src + offsets[w] (bytes) + i of the window, w < count, in
/// this order. The first maximum wins; a NaN counts only where there is nothing else.
///   maximum: max over w; without any element the lowest finite value
///   average: (sum over w) / divisor; integers are summed exactly, s32 elements for count < 2^15
struct pool_forward_args {
    bool maximum;   // else average
    data_type type; // of src and dst
    const void *src;
    const dim_t *offsets;
    const s32 *window_index; // what the workspace records for w; with workspace only
    dim_t count;
    f32 divisor;
    dim_t n;
    void *dst;
    void *workspace; // of workspace_type u8 or s32, one per output; null: none
    data_type workspace_type;
    const epilogue *finish; // null: none
    dim_t position[position_rank];
    // The same again for further pixels, bytes from one to the next; their row_dim follows.
    dim_t pixels;
    dim_t src_step, dst_step, workspace_step;
};
using pool_forward_function = void (*)(const pool_forward_args &);

/// Gradient i of n sums what the windows over this input hand down, in the order of w:
///   maximum: diff_dst[w][i] where workspace[w][i] == window_index[w]
///   average: diff_dst[w][i] / divisors[w]
/// Sums in f32.
struct pool_backward_args {
    bool maximum;
    data_type diff_src_type, diff_dst_type; // f32, bf16 or f16
    const void *diff_dst;
    const dim_t *offsets; // bytes
    const void *workspace;
    const dim_t *workspace_offsets; // bytes
    data_type workspace_type;
    const s32 *window_index;
    const f32 *divisors;
    dim_t count;
    dim_t n;
    void *diff_src;
};
using pool_backward_function = void (*)(const pool_backward_args &);

template <class Isa> void pool_forward(const pool_forward_args &args);
template <class Isa> void pool_backward(const pool_backward_args &args);

} // namespace dnnl::impl::cpu
