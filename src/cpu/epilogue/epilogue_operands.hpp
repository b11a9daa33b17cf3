// SPDX-License-Identifier: Apache-2.0
// The tensors that an epilogue reads in addition to the sums: their strides by the coordinates of
// dst.
#pragma once

#include "cpu/epilogue/epilogue.hpp"

namespace dnnl::impl::cpu {

/// Strides of a tensor that broadcasts to dst, by coordinate of the epilogue's position. False when
/// dims that share a coordinate cannot be flattened into one stride.
bool coordinate_strides(const memory_desc &operand, const memory_desc &dst,
    const coordinate_map &map, dim_t (&strides)[position_rank]);

/// The source of a binary post-op; null for others.
const memory_desc *binary_source(const post_op &op);

/// The coordinates along which the weights of a prelu post-op vary, one for each dimension of dst
/// that the mask names, those of size 1 left out. Their layout is known at execution only, so none
/// of these dimensions may share its coordinate: false where one does.
bool prelu_coordinates(const prelu_post_op &op, const memory_desc &dst, const coordinate_map &map,
    coordinate_list &coordinates);

/// src1 itself where it is plain; else its dims dense in the order of the coordinates, the layout
/// of a copy.
memory_desc plain_operand(const memory_desc &src1, const coordinate_map &map);

/// All dimensions but the last are 1: dst's columns.
bool is_per_column(const memory_desc &bias, dim_t columns);

} // namespace dnnl::impl::cpu
