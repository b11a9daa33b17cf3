// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: every channel has a window of its own. Channels are adjacent and fill the
// vectors; tiles of pixels keep their sums in registers while the rows of the window are walked,
// and a vector of the source is multiplied by all taps that it meets in the tile.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"

namespace dnnl::impl::cpu {

/// Weights are [block][tap][channels of a block].
inline constexpr dim_t depthwise_block = 16;
/// The most channels that depthwise() takes at a time.
inline constexpr dim_t depthwise_most_channels = 512;

/// Taps of a row of the window that follow each other in the source: tap t of pixel p of the result
/// hits pixel
///     p * stride + t
/// of the source, counted from the segment's own beginning, where that is in [first, end), and
/// nothing elsewhere. The numbers of a segment of one tap are those of pixels of the result.
struct depthwise_segment {
    dim_t offset; // bytes from the first pixel of a line to the beginning, which need not exist
    dim_t first, end;
    dim_t tap; // the first one, in the row of the window
};

/// A line of the source, and the row of the window that hits it.
struct depthwise_line {
    const void *source; // first pixel, channel 0
    dim_t tap;          // the first one of the row, in the order of depthwise_args::places
};

/// A row of the result. The lines of all rows follow each other.
struct depthwise_row_args {
    void *dst; // pixel 0, channel 0
    dim_t line_count;
    dim_t position[2]; // the coordinates before that of the pixel
};

/// How many taps a wide segment may have; with one tap there are single ones only.
inline constexpr dim_t depthwise_widths[] = {7, 5, 3, 2};
/// True where kernels take segments of `width` taps at this stride, the source pixels from one
/// pixel of the result to the next. Single taps are taken at any stride.
constexpr bool depthwise_has_tiles(dim_t width, dim_t stride) {
    return stride == 1 || (stride == 2 && (width == 3 || width == 5));
}

/// Some rows of the result:
///   sum[p][c] = sum over the taps that hit of (source[...][c] - zero point) * weights[tap][c]
/// then the epilogue. Sums are f32, from zero, segment by segment and line by line, or, with 16
/// registers in rows of tiles (depthwise_blocks.hpp), tap by tap and of each line by line. Those of
/// bytes are integers: they must be at most 2^24.
struct depthwise_args {
    data_type type; // of the source: f32 bf16 f16, with weights alike; u8 s8, with s8
    dim_t width, stride;
    const depthwise_segment *segments; // of every line: those of `width` taps, then single ones
    dim_t wide, single;
    const depthwise_line *lines;
    const depthwise_row_args *rows;
    dim_t row_count;
    dim_t source_step_bytes; // from pixel to pixel of the source
    const dim_t *places;     // of taps in a block of weights
    dim_t taps;
    const void *weights;       // channels of the last block padded with zeros
    dim_t weights_block_bytes; // bytes from block to block
    f32 *own_weights;          // room for 32 channels of all taps and of rows up to a multiple of
                      // four, and of up to 9 taps for depthwise_most_channels, 64-byte aligned
    s32 zero_point; // of bytes: one of their type
    dim_t pixels;
    dim_t strip;  // depthwise(): so many pixels of all rows come before the next ones
    bool asks;    // depthwise(): the next row is asked for ahead, because L2 does not have it
    bool streams; // depthwise(): L3 does not have it either
    dim_t first_channel, channels; // from the first one, a multiple of 16, up to `channels`
    dim_t dst_step_bytes;          // bytes from pixel to pixel
    const epilogue *finish;        // null: the sums, f32 or s32, are dst
    dim_t position[position_rank]; // of pixel 0, channel 0; [1] and [2] are those of the row
};
using depthwise_function = void (*)(const depthwise_args &);

/// Defined for the tags avx2 and avx512.
template <class Isa> void depthwise(const depthwise_args &args);
/// The same for bytes, defined for the tags with VNNI.
template <class Isa> void depthwise_bytes(const depthwise_args &args);

/// The gradient of weights by some rows of diff_dst:
///   sums[place of tap][c] += sum over the pixels p that it hits of source[...][c] * diff_dst[p][c]
/// in the order of the rows and of their pixels.
struct depthwise_weights_args {
    data_type type; // of both sources: f32 bf16 f16
    dim_t width, stride;
    const depthwise_segment *segments; // those of `width` taps, then single ones
    dim_t wide, single;
    dim_t row_taps;              // of all segments
    const void *const *sources;  // [row][row of the window]: its line in the source, null: none
    const void *const *diff_dst; // [row]: some pixel, channel 0
    dim_t first_bytes;           // from there to pixel 0
    dim_t rows, window_rows;
    dim_t source_step_bytes, diff_dst_step_bytes; // from pixel to pixel
    const dim_t *places; // of taps in a block of sums, row by row of the window
    dim_t pixels;
    dim_t channel, end_channel; // from this one, a multiple of depthwise_block, to that
    f32 *sums;                  // of channel 0
    dim_t sums_block;           // elements from block to block
};
using depthwise_weights_function = void (*)(const depthwise_weights_args &);
/// Defined for the tags avx2 and avx512.
template <class Isa> void depthwise_weights(const depthwise_weights_args &args);

/// sums[c] += sum over p of source[p][c]. There are sums for a multiple of 16 channels.
struct pixel_sums_args {
    data_type type; // f32 bf16 f16
    const void *source;
    dim_t step_bytes; // from pixel to pixel
    dim_t pixels, channels;
    f32 *sums;
};
using pixel_sums_function = void (*)(const pixel_sums_args &);
/// Defined for the tags avx2 and avx512.
template <class Isa> void add_pixels(const pixel_sums_args &args);

} // namespace dnnl::impl::cpu
