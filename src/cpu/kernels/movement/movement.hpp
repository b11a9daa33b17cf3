// SPDX-License-Identifier: Apache-2.0
// Rows of any element type, how they lie in memory and their conversion to and from rows of f32 or
// s32, the types that row kernels compute in; copies of tiles between two layouts, with conversion,
// scales, zero points and a sum; transposition of matrices of 1-, 2- and 4-byte elements; and the
// elements of packed int8 weights added up by column.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

// ---- Rows ----

struct epilogue;

/// Row kernels convert pieces of so many elements, which stay in L1.
inline constexpr dim_t row_piece = 512;

/// Rows of a tensor: element (r, c) is r * row + c * column elements after data. A stride of 0
/// broadcasts.
struct row_tensor {
    void *data;
    data_type type;
    dim_t row, column;
};

/// What one call of a kernel takes that makes each row of dst of the same row of its sources.
struct row_tile {
    row_tensor dst;    // its columns are adjacent
    row_tensor src[4]; // as many as the kernel reads; some write one of them, too
    dim_t rows, columns;
    const epilogue *finish; // null: none; its steps see the position (row, column)
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

/// Between n 4-bit elements, two per byte, the first in the low half, and their codes, one per
/// byte. The unused half of a last byte becomes 0.
template <class Isa> void unpack_nibbles(const void *pairs, dim_t n, void *codes);
template <class Isa> void pack_nibbles(const void *codes, dim_t n, void *pairs);

// ---- Tiles ----

/// One f32 per element or shared by some: element (r, c) takes data[r * row + c * column].
struct tile_values {
    const f32 *data; ///< null: absent
    dim_t row, column;
};

/// The most elements of a tile that is converted and whose src and dst are not both contiguous
/// along the columns; such a tile has at most row_piece rows and columns.
inline constexpr dim_t convert_tile_elements = 4096;

/// For r < rows, c < columns, strides in elements:
///   x = scale_src * (src[r, c] - zero_point_src) + sum_scale * dst[r, c]
///   dst[r, c] = saturate(round(x / scale_dst + zero_point_dst))
/// each operation rounded to f32 by itself; what is absent is left out.
struct copy_tile_args {
    const void *src;
    void *dst;
    dim_t rows, columns;
    dim_t src_row, src_column, dst_row, dst_column;
    data_type src_type, dst_type; // f32 bf16 f16 s32 s8 u8
    bool through_f32; // false: nothing but types change, and integers pass without rounding
    tile_values src_zero_point, src_scale, dst_scale, dst_zero_point;
    bool has_sum;
    f32 sum_scale;
    bool streaming; // dst is so large that it should bypass the caches
    dim_t pieces = 1, src_piece = 0, dst_piece = 0; // so many tiles, where nothing is converted
};

template <class Isa> void copy_tile(const copy_tile_args &args);

/// A tile with adjacent columns in src and dst, without a sum. False, and nothing is done, where a
/// type is not one of f32 bf16 f16 s32 s8 u8 or values are neither shared by the columns nor
/// adjacent.
template <class Isa> bool convert_rows(const copy_tile_args &args);

/// dst[r * dst_stride + c] = src[c * src_stride + r] for r < rows, c < columns. Strides in
/// elements. src and dst do not overlap. Element size: 1, 2 or 4 bytes.
/// streaming: dst is not read soon, so whole registers of it bypass the caches where they are
/// aligned.
struct transpose_args {
    const void *src;
    void *dst;
    dim_t src_stride, dst_stride;
    dim_t rows, columns;
    dim_t element_bytes;
    bool streaming;
    dim_t matrices = 1, src_matrix = 0, dst_matrix = 0; // so many, and their distances
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
