// SPDX-License-Identifier: Apache-2.0
// The kernels of pooling.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"

namespace dnnl::impl::cpu {

// ---- Pooling: n adjacent outputs (channels of one pixel, or pixels of one row) whose windows have
// the same shape ----

/// Output i of n combines the elements src + offset_bytes[w] + i of the window, w < count, in
/// this order. The first maximum wins; a NaN counts only where there is nothing else.
///   maximum: max over w; without any element the lowest finite value
///   average: (sum over w) / divisor; integers are summed exactly, s32 elements for count < 2^15
struct pool_forward_args {
    bool maximum;   // else average
    data_type type; // of src and dst
    const void *src;
    const dim_t *offset_bytes;
    const s32 *window_index; // what the workspace records for w; with workspace only
    dim_t count;
    // offset_bytes lists whole rows of the window: `width` elements, tap_step_bytes apart.
    dim_t width, tap_step_bytes;
    f32 divisor;
    dim_t n;
    void *dst;
    void *workspace; // of workspace_type u8 or s32, one per output; null: none
    data_type workspace_type;
    const epilogue *finish; // null: none
    dim_t position[position_rank];
    // Pixels of one call; position[row_dim] grows by 1 from pixel to pixel.
    dim_t pixels;
    dim_t src_step_bytes, dst_step_bytes, workspace_step_bytes;
};
using pool_forward_function = void (*)(const pool_forward_args &);

/// Gradient i of n is the sum of the shares from all windows over this input, in the order of w:
///   maximum: diff_dst[w][i] where workspace[w][i] == window_index[w]
///   average: diff_dst[w][i] / divisors[w]
/// Sums in f32.
struct pool_backward_args {
    bool maximum;
    data_type diff_src_type, diff_dst_type; // f32, bf16 or f16
    const void *diff_dst;
    const dim_t *offset_bytes;
    const void *workspace;
    const dim_t *workspace_offset_bytes;
    data_type workspace_type;
    const s32 *window_index;
    const f32 *divisors;
    dim_t count;
    dim_t n;
    void *diff_src;
    dim_t pixels; // of one call
    dim_t diff_src_step_bytes, diff_dst_step_bytes, workspace_step_bytes;
};
using pool_backward_function = void (*)(const pool_backward_args &);

template <class Isa> void pool_forward(const pool_forward_args &args);
template <class Isa> void pool_backward(const pool_backward_args &args);

// ---- Pooling of planes: images of one channel, whose pixels of a row are adjacent ----

/// Extents of the images and windows; there is no dilation.
struct pool_plane_shape {
    dim_t ID, IH, IW, OD, OH, OW;
    dim_t KD, KH, KW, SD, SH, SW, PD, PH, PW; // SW: 1 or 2
    bool inside;                              // no window reaches into padding
    bool whole; // one window, which is the plane; its elements are adjacent
};
struct pool_plane_image {
    void *data;
    dim_t c_bytes, d_bytes, h_bytes;
};
/// The same as pool_forward and pool_backward, for `planes` channels. Averages divide by the number
/// of elements of a window, with `excludes` by that of those inside the image.
struct pool_planes_args {
    bool maximum, excludes;
    data_type type;           // f32 or bf16
    data_type workspace_type; // u8 or s32; backward maximum only
    pool_plane_shape shape;
    pool_plane_image src, dst, workspace; // or diff_src and diff_dst
    dim_t planes;
    f32 *buffer; // of pool_planes_buffer() elements
};
using pool_planes_function = void (*)(const pool_planes_args &);

/// Elements from line to line of the buffer: a row of the image, with room at both ends for padding
/// and for whole vectors.
DNNL_INLINE dim_t pool_line_pitch(const pool_plane_shape &s) {
    const dim_t image = s.IW > s.OW ? s.IW : s.OW;
    return (image + s.PW + 2 * s.KW + 64 + 15) / 16 * 16;
}
/// The most elements of a window, unless it is the whole plane, in pool_planes_backward().
inline constexpr dim_t pool_most_taps = 128;
/// Rows of outputs whose lines are stored before the first is read: a load that spans two stored
/// vectors cannot be forwarded from the store buffer.
inline constexpr dim_t pool_line_group = 8;
/// Elements of the buffer: forward even and odd lines of a group, backward gradients and indices of
/// all rows; then the counts of columns and their reciprocals.
DNNL_INLINE dim_t pool_planes_buffer(const pool_plane_shape &s, bool forward) {
    return (forward ? 2 * pool_line_group + 2 : 2 * s.OD * s.OH + 2) * pool_line_pitch(s);
}

template <class Isa> void pool_planes_forward(const pool_planes_args &args);
template <class Isa> void pool_planes_backward(const pool_planes_args &args);

} // namespace dnnl::impl::cpu
