// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: every channel has a window of its own. Channels are adjacent and fill the
// vectors; tiles of pixels keep their sums in registers while the taps of the window are walked.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

/// Channels of one block of weights, and taps that lie together.
///   f32 bf16 f16   [block][tap][16 channels]
///   s8             [block][group of taps][64 channels][4 taps]
constexpr dim_t depthwise_block(bool integer) { return integer ? 64 : 16; }
constexpr dim_t depthwise_tap_group(bool integer) { return integer ? 4 : 1; }

/// A tap of the windows of a row of pixels.
struct depthwise_tap {
    const void *source; // of pixel 0, channel 0
    dim_t step_bytes;   // from pixel to pixel of the source
    dim_t place;        // of the tap (int8: of its group) in a block of weights
};

/// A row of pixels whose windows hit the same taps:
///   sum[p][c] = sum over t of source[t][p][c] * weights[t][c]
/// then the epilogue. Floats are summed in f32 in the order of t, from zero; integers exactly.
struct depthwise_args {
    data_type type; // of the source: f32 bf16 f16, with weights alike; u8 s8, with s8
    const depthwise_tap *taps;
    dim_t count;         // of taps; int8: of groups of four, which follow each other in `taps`
    const void *weights; // 64-byte aligned, channels of the last block padded with zeros
    dim_t weights_block_bytes; // bytes from block to block
    dim_t pixels, channels;
    void *dst;
    dim_t dst_step_bytes;          // bytes from pixel to pixel
    const epilogue *finish;        // null: the sums, f32 or s32, are dst
    dim_t position[position_rank]; // of pixel 0; pixels are rows, channels are columns
};
using depthwise_function = void (*)(const depthwise_args &);

/// The gradient of weights by a row of pixels whose windows hit the same taps:
///   sums[t][c] += sum over p of source[t][p][c] * diff_dst[p][c]
/// and, where bias_sums is not null, bias_sums[c] += sum over p of diff_dst[p][c]. Sums are f32 and
/// laid out as weights are, bias_sums has one value per channel up to a multiple of 16.
struct depthwise_weights_args {
    data_type type; // of both sources: f32 bf16 f16
    const depthwise_tap *taps;
    dim_t count;
    const void *diff_dst;
    dim_t diff_dst_step_bytes;
    dim_t pixels, channels;
    f32 *sums;
    dim_t sums_block; // elements from block to block
    f32 *bias_sums;
};
using depthwise_weights_function = void (*)(const depthwise_weights_args &);

/// Defined for all tags up to avx512_vnni; those with VNNI take integers only.
template <class Isa> void depthwise(const depthwise_args &args);
/// Defined for the tags avx2 and avx512.
template <class Isa> void depthwise_weights(const depthwise_weights_args &args);

} // namespace dnnl::impl::cpu
