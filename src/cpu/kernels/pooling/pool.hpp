// SPDX-License-Identifier: Apache-2.0
// The kernels of pooling, of resampling and of local response normalization.
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
    dim_t count, n; // of windows, of gradients
    void *diff_src;
    bool streaming; // diff_src is so large that f32 should bypass the caches; pixels of whole lines
    dim_t pixels;   // of one call
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

// ---- Resampling ----

/// One row of a resampled tensor, or of its gradient:
///     result(x) = sum over k of weight(k, x) * (sum over t of row_weight(t) * element(t, k, x))
/// every sum from 0 in ascending order, each step one fused multiply-add. t runs over rows of the
/// other tensor (depth and height), k over its pixels in a row.
struct interpolate_args {
    const void *src; // pixel 0 of the image, or of the block of channels, that is read
    data_type src_type;
    const dim_t *row_offset_bytes; // from src to each row
    const f32 *row_weights;
    dim_t row_count;
    // Entry k * pixels + x belongs to tap k of result x: the number of its pixel and its weight. A
    // weight of 0 ends the taps of a result.
    const s32 *taps;
    const f32 *weights;
    dim_t tap_count;
    // interpolate_pixels: entry x / 16 is the lowest pixel that results x to x + 15 take; the
    // others are less than 32 above. Null: some are further.
    const s32 *windows;
    bool copies;  // one tap and row, weights of 1
    bool integer; // copies only: integers to integers
    dim_t pixels; // results in the row
    dim_t n;      // channels: adjacent ones of a pixel; pixels: elements of a row that is read
    f32 *buffer;  // pixels: n elements, rounded up to 16
    void *dst;
    data_type dst_type;
    dim_t src_pixel_bytes, dst_pixel_bytes; // channels: from pixel to pixel
    const epilogue *finish;                 // null: none
    dim_t position[position_rank];          // of result 0; channels: pixels are rows
};
using interpolate_function = void (*)(const interpolate_args &);

/// Adjacent elements are the channels of a pixel.
template <class Isa> void interpolate_channels(const interpolate_args &args);
/// Adjacent elements are the pixels of a row.
template <class Isa> void interpolate_pixels(const interpolate_args &args);

// ---- Local response normalization ----

/// A tensor's part of a slab. A row is cut into runs of run_length adjacent elements (lrn_args),
/// run_stride apart. Strides are in elements.
struct lrn_tensor {
    void *data;
    dim_t plane_stride, row_stride, run_stride;
};

/// A slab of planes x rows x row_length elements. The window of an element reaches half_planes,
/// half_rows and half_row positions to both sides; neighbours along a row are row_step elements
/// apart. omega = k + factor * (sum of src^2 over the window).
///   forward:  dst = src * omega^-beta
///   backward: dst = diff * omega^-beta
///                 - 2 factor beta * src * sum over the window of diff * src * omega^(-beta - 1)
/// Sums run along the row, then the rows, then the planes, in f32.
struct lrn_args {
    data_type type;            // f32, bf16 or f16
    lrn_tensor src, diff, dst; // diff: diff_dst, backward only
    dim_t planes, rows, row_length, run_length;
    dim_t half_planes, half_rows, half_row, row_step;
    f32 factor, k, beta;
    f32 *buffer; // lrn_buffer_size() elements
};
using lrn_function = void (*)(const lrn_args &);

/// Elements of a row in the buffer: whole vectors, with room for zeros on both sides.
DNNL_INLINE dim_t lrn_pitch(const lrn_args &a) {
    return (a.row_length + 2 * a.half_row * a.row_step + 15) / 16 * 16;
}
DNNL_INLINE dim_t lrn_buffer_size(const lrn_args &a) {
    return 4 * a.planes * a.rows * lrn_pitch(a);
}

template <class Isa> void lrn_forward(const lrn_args &args);
template <class Isa> void lrn_backward(const lrn_args &args);

} // namespace dnnl::impl::cpu
