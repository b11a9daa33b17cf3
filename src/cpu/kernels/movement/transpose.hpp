// SPDX-License-Identifier: Apache-2.0
// Transposition of matrices of 1-, 2- and 4-byte elements.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

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

} // namespace dnnl::impl::cpu
