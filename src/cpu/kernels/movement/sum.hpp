// SPDX-License-Identifier: Apache-2.0
// Weighted sums of tensors, tile by tile.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

inline constexpr int max_summands = 39;

/// One tensor of a tile: strides in elements of its type.
struct sum_operand {
    const void *data;
    dim_t row, column;
    data_type type;
};

/// dst[r, c] = round(sum over i of scales[i] * srcs[i][r, c]), added up in f64 in this order and
/// rounded to f32 before the conversion to dst's type. Types: f32 bf16 f16 s32 s8 u8 f8.
struct sum_args {
    sum_operand srcs[max_summands];
    double scales[max_summands];
    int count;
    sum_operand dst; // written
    dim_t rows, columns;
};

template <class Isa> void sum_tile(const sum_args &args);

} // namespace dnnl::impl::cpu
