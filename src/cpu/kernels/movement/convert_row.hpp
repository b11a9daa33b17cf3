// SPDX-License-Identifier: Apache-2.0
// Rows of any element type: how they lie in memory, and their conversion to and from rows of f32 or
// s32, the types that row kernels compute in.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

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
    row_tensor src[3]; // as many as the kernel reads
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

} // namespace dnnl::impl::cpu
