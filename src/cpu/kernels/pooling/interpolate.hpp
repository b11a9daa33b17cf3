// SPDX-License-Identifier: Apache-2.0
// The kernels of resampling, forward and backward.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"

namespace dnnl::impl::cpu {

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

} // namespace dnnl::impl::cpu
