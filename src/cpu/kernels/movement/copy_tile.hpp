// SPDX-License-Identifier: Apache-2.0
// Copies a tile between two layouts, with conversion, scales, zero points and a sum; transposition
// of matrices of 1-, 2- and 4-byte elements; and the elements of packed int8 weights added up by
// column.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

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
};

template <class Isa> void copy_tile(const copy_tile_args &args);

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
};

template <class Isa> void transpose(const transpose_args &args);

/// dst[2 * i] = first[i], dst[2 * i + 1] = second[i] for 32 elements of 2 bytes.
template <class Isa> void interleave_32_pairs(const void *first, const void *second, void *dst);

/// dst[4 * i + j] = byte i of row j, for 32 columns of 4 rows that are `stride` bytes apart.
template <class Isa> void interleave_32_quads(const void *first, dim_t stride, void *dst);

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
