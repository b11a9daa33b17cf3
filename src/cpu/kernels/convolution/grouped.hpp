// SPDX-License-Identifier: Apache-2.0
// Convolution of groups with few channels each. The lanes of a vector of sums are adjacent output
// channels of one group or of several adjacent ones; the multiplicand has in each lane an input of
// the lane's group.
//
// A word is 4 bytes of the source: one f32, two bf16 or four bytes, and what one lane multiplies at
// once. Lines of the source are copied into windows: per pixel the words of the groups that one
// vector of sums needs, [group][words of a group], zeros after a group's last channel. With 4
// groups of 4 channels of f32:
//
//   window of a pixel   a0 a1 a2 a3  b0 b1 b2 b3  c0 c1 c2 c3  d0 d1 d2 d3
//   step 0 multiplies   a0 a0 a0 a0  b0 b0 b0 b0  c0 c0 c0 c0  d0 d0 d0 d0
//   step 1              a1 a1 a1 a1  b1 b1 b1 b1  ...
//
// by weights [tap][step][lane][elements of a word].
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"

namespace dnnl::impl::cpu {

// ---- Lines ----

/// Pixels of a line of the image, copied into windows that are window_bytes from each other, with
/// padding before and after them. The pixels of a window that are `stride` from each other follow
/// each other: [pixel % stride][pixel / stride]. f32 stays, bf16 stays or becomes f32, f16 becomes
/// f32, bytes stay or are shifted from s8 to u8 (x + 128).
struct grouped_lines_args {
    data_type from;              // f32 bf16 f16 u8 s8
    data_type to;                // f32 bf16 u8
    const void *source;          // of the first pixel, first channel
    dim_t source_step_bytes;     // from pixel to pixel
    dim_t before, pixels, after; // after: pixels of padding, as before
    s32 padding;                 // a word of it
    dim_t stride, stride_bytes;  // from [i][0] to [i + 1][0]
    dim_t channels, group_channels, window_groups;
    char *windows;      // of the first pixel, or of padding before it
    dim_t window_bytes; // from window to window
    dim_t pixel_words;  // from pixel to pixel of a window
};
using grouped_lines_function = void (*)(const grouped_lines_args &);
/// Writes no more than pixel_words words of a pixel. Defined for the tags avx2 and avx512.
template <class Isa> void grouped_lines(const grouped_lines_args &args);

// ---- Sums ----

/// Up to three taps that follow each other in the line as the pixels of the sums do, so that a word
/// that is loaded serves as many sums.
struct grouped_taps {
    const void *source; // of pixel 0
    dim_t first, step;  // places of the taps in the weights
    dim_t count;        // 1 to 3
    dim_t begin, end;   // of the source's pixels; tiles of one group leave out others at their ends
};

/// A vector of sums, or two, of adjacent pixels:
///   sums[p][lane] = sum over taps and steps of source[tap][p][group of lane][step] *
///                   weights[tap][step][lane]
/// Floats are summed in f32 from zero, in the order of `taps`, of steps and of their taps; integers
/// exactly. What lies behind the last pixel is read: grouped_pixels windows must be there.
struct grouped_args {
    data_type source_type;  // of words: f32 bf16 u8
    data_type weights_type; // f32 bf16 f16 with words of f32, bf16, s8
    const grouped_taps *taps;
    dim_t count;        // of `taps`
    dim_t source_bytes; // to be added to their pointers
    dim_t pixel_words;  // from pixel to pixel; 4, 8 or 16 where each group has words of its own
    dim_t steps;        // words of a group
    const s32 *order;   // [step][lane]: the word that a lane takes; null: one for all lanes
    const void *weights;
    dim_t lanes;         // of weights
    int vectors;         // 1, or 2 of a group whose sums follow each other
    dim_t vector_bytes;  // from the weights of one to those of the other
    dim_t first, pixels; // in the line
    void *sums;          // f32 or s32; whole registers are stored
    dim_t sums_step;     // elements from pixel to pixel
};
using grouped_function = void (*)(const grouped_args &);
/// Windows that may be read after the last pixel.
constexpr dim_t grouped_pixels = 16;
/// Defined for all tags but amx; those of VNNI take bytes, that of bf16 pairs these.
template <class Isa> void grouped(const grouped_args &args);

} // namespace dnnl::impl::cpu
