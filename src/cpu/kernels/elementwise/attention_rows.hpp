// SPDX-License-Identifier: Apache-2.0
// What stands between the two products of attention, for a block of rows and a block of keys. Sums
// of exponentials and of weighted values belong to the largest score of a row so far; where a block
// has a larger one, what was added up before is corrected for it.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"

namespace dnnl::impl::cpu {

struct attention_args {
    dim_t rows, keys, columns; // columns of the values

    // Scores: scale * sums + mask becomes exp(score - largest) of the type of weights, 0 for keys
    // that a row does not see. Bytes are 255 times that.
    void *sums; // f32, or s32 of integers; overwritten
    bool integers;
    dim_t sums_stride; // elements from row to row, as all strides here; rows of sums and weights
                       // have room for keys up to a multiple of 32
    f32 scale;
    const void *mask; // f32, bf16 or f16, keys adjacent; null: none
    data_type mask_type;
    dim_t mask_stride;
    f32 *mask_buffer; // of a row
    dim_t visible;    // keys of the block that row 0 sees; row r sees r * more of them
    dim_t more;       // 0 or 1
    void *weights;
    data_type weights_type;
    dim_t weights_stride;
    f32 *largest, *sum, *correction; // of each row

    // Results: correction * results + products; the last block divides them by the sum.
    const void *products; // f32 or s32
    dim_t products_stride;
    f32 *results;
    dim_t results_stride;
    void *dst; // of the last block; else null
    data_type dst_type;
    dim_t dst_stride;
    f32 dst_scale;
};
using attention_function = void (*)(const attention_args &);

/// Both are defined for the tags avx2 and avx512.
template <class Isa> void attention_scores(const attention_args &args);
template <class Isa> void attention_results(const attention_args &args);

} // namespace dnnl::impl::cpu
