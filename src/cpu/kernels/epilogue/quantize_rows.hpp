// SPDX-License-Identifier: Apache-2.0
// Converts rows of f32 results to codes of f8 or f4_e2m1, with scales that follow from them: one
// for each group of neighbours in a row (doc/numerics.md, "Scales that the library computes").
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

struct quantize_rows_args {
    const f32 *src;
    dim_t src_stride;    // elements from row to row
    dim_t rows, columns; // columns: whole groups
    void *dst;           // 4-bit elements begin with a byte in each row
    dim_t dst_stride_bytes;
    data_type dst_type; // f8_e5m2, f8_e4m3 or f4_e2m1
    dim_t group;        // 16 or 32; 0: no scales, results are converted as they are
    bool powers_of_two; // scales are e8m0, else f8_e4m3
    u8 *scales;
    dim_t scales_stride; // scales from row to row
};

template <class Isa> void quantize_rows(const quantize_rows_args &args);

} // namespace dnnl::impl::cpu
