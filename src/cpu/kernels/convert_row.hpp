// SPDX-License-Identifier: Apache-2.0
// Rows of any element type to and from rows of f32 or s32, the types that row kernels compute in.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

/// At most this many elements in one call: rows are handled in pieces that stay in L1.
inline constexpr dim_t row_piece = 512;

/// out[i] = src[i * stride], 0 <= i < n <= row_piece, of type f32 bf16 f16 s32 s8 u8.
template <class Isa>
void row_to_f32(const void *src, data_type type, dim_t stride, dim_t n, f32 *out);
/// The same for s32 s8 u8, without rounding.
template <class Isa>
void row_to_s32(const void *src, data_type type, dim_t stride, dim_t n, s32 *out);
/// dst[i] = src[i], rounded to nearest even and saturated.
template <class Isa> void row_from_f32(const f32 *src, dim_t n, data_type type, void *dst);
template <class Isa> void row_from_s32(const s32 *src, dim_t n, data_type type, void *dst);

} // namespace dnnl::impl::cpu
