// SPDX-License-Identifier: Apache-2.0
// The kernels that move elements: conversion of rows of any type to and from f32 or s32, which row
// kernels compute in; copies of tiles between two layouts, with conversion, scales, zero points and
// a sum; transposition of elements of 1, 2 and 4 bytes; column sums of packed int8 weights.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

// ---- Rows ----

struct epilogue;

/// Row kernels convert pieces of at most 512 elements, which stay in L1.
inline constexpr dim_t row_piece = 512;
/// A tensor of more bytes is not expected to be in a cache when it is read again.
inline constexpr dim_t cached_bytes = dim_t {24} << 20;

/// Rows of a tensor: element (r, c) is data[r * row + c * column]. A stride of 0 broadcasts.
struct row_tensor {
    void *data;
    data_type type;
    dim_t row, column;
};

/// The tensors of kernels that compute each row of dst from the same row of the sources.
struct row_tile {
    row_tensor dst;    // elements of a row are adjacent
    row_tensor src[4]; // the kernel says which it reads, and whether it writes one of them
    dim_t rows, columns;
    const epilogue *finish; // null: none; its steps see the position (row, column)
    bool past;              // the result, or all tensors together, exceed cached_bytes
    /// True where vectors of 64 bytes of a row that begins at `row` go past the caches.
    DNNL_INLINE bool passes(const void *row) const {
        return past && reinterpret_cast<std::uintptr_t>(row) % 64 == 0;
    }
};

/// out[i] = src[i * stride], 0 <= i < n, of any type but f64 and boolean; 4-bit elements are codes,
/// one per byte.
template <class Isa>
void row_to_f32(const void *src, data_type type, dim_t stride, dim_t n, f32 *out);
/// The same for s32 s8 u8 s4 u4, without rounding.
template <class Isa>
void row_to_s32(const void *src, data_type type, dim_t stride, dim_t n, s32 *out);
/// dst[i] = src[i], rounded to nearest even and saturated.
template <class Isa> void row_from_f32(const f32 *src, dim_t n, data_type type, void *dst);
template <class Isa> void row_from_s32(const s32 *src, dim_t n, data_type type, void *dst);

/// Conversions between n 4-bit elements, two per byte, the first in the low half, and their codes,
/// one per byte. The unused half of a last byte becomes 0.
template <class Isa> void unpack_nibbles(const void *pairs, dim_t n, void *codes);
template <class Isa> void pack_nibbles(const void *codes, dim_t n, void *pairs);

// ---- Tiles ----

/// Scales or zero points of a tile: (r, c) takes data[r * row + c * column]; stride 0 shares them.
struct tile_values {
    const f32 *data; ///< null: absent
    dim_t row, column;
};

/// The most elements of a tile that is converted and whose rows are not adjacent elements in both
/// src and dst; such a tile has at most row_piece rows and columns.
inline constexpr dim_t convert_tile_elements = 4096;

/// For r < rows, c < columns, strides in elements:
///   x = scale_src * (src[r, c] - zero_point_src) + sum_scale * dst[r, c]
///   dst[r, c] = saturate(round(x / scale_dst + zero_point_dst))
/// Each operation is rounded to f32 by itself; absent values and their operations are left out.
struct copy_tile_args {
    const void *src;
    void *dst;
    dim_t rows, columns;
    dim_t src_row, src_column, dst_row, dst_column;
    data_type src_type, dst_type; // as row_to_f32() and row_from_f32() take
    bool through_f32; // false: only the type changes, and integers are not rounded to f32
    tile_values src_zero_point, src_scale, dst_scale, dst_zero_point;
    bool has_sum;
    f32 sum_scale;
    bool streaming; // dst is so large that it should bypass the caches
    dim_t pieces = 1, src_piece = 0, dst_piece = 0; // tiles and their distances; no conversion
};

template <class Isa> void copy_tile(const copy_tile_args &args);

/// Copies a tile whose rows are adjacent elements in src and dst. Returns false, with nothing done,
/// where there is a sum, a type is not one of f32 bf16 f16 s32 s8 u8, or scales or zero points
/// along a row are neither shared nor adjacent.
template <class Isa> bool convert_rows(const copy_tile_args &args);

/// dst[r * dst_stride + c] = src[c * src_stride + r] for r < rows, c < columns. Strides in
/// elements. src and dst do not overlap. Element size: 1, 2 or 4 bytes.
/// streaming: dst is not read soon, so that its aligned whole registers bypass the caches.
struct transpose_args {
    const void *src;
    void *dst;
    dim_t src_stride, dst_stride;
    dim_t rows, columns;
    dim_t element_bytes;
    bool streaming;
    dim_t matrices = 1, src_matrix = 0, dst_matrix = 0; // number and distances in elements
};

template <class Isa> void transpose(const transpose_args &args);

/// dst[2 * i] = first[i], dst[2 * i + 1] = second[i] for 32 elements of 2 bytes.
template <class Isa> void interleave_32_pairs(const void *first, const void *second, void *dst);

/// dst[4 * i + j] = byte i of row j, for 32 columns of 4 rows that are `stride_bytes` apart.
template <class Isa> void interleave_32_quads(const void *first, dim_t stride_bytes, void *dst);

/// sums[r * sums_row + c * sums_column] += elements[r * row + c * column] over a tile.
struct column_sums_args {
    const void *elements;
    data_type type; // s8 or u8
    s32 *sums;
    dim_t rows, columns;
    dim_t row, column, sums_row, sums_column;
};

template <class Isa> void add_column_sums(const column_sums_args &args);

} // namespace dnnl::impl::cpu
