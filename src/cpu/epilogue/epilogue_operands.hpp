// SPDX-License-Identifier: Apache-2.0
// The tensors that an epilogue reads in addition to the sums.
#pragma once

#include "common/runtime/parallel.hpp"
#include "cpu/epilogue/epilogue.hpp"

namespace dnnl::impl::cpu {

/// Null when the operand of a post-op, if it has one, is of a type that the kernels read.
const char *operand_refusal(const post_op &op);

/// Strides of a tensor that broadcasts to dst, by coordinate of the epilogue's position. False when
/// dims that share a coordinate cannot be flattened into one stride.
bool coordinate_strides(const memory_desc &operand, const memory_desc &dst,
    const coordinate_map &map, dim_t (&strides)[position_rank]);

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

/// value(i) of n values, in the scratchpad.
template <class Value, class Function>
const Value *filled(
    const exec_context &ctx, const scratch_slot<Value> &place, dim_t n, const Function &value) {
    Value *to = ctx.scratch(place);
    // Measured on a Zen 5 core: a conversion takes 1.3 to 1.9 ns.
    parallel_for_each(n, 2.0, [&](dim_t i) { to[i] = value(i); });
    return to;
}

} // namespace dnnl::impl::cpu
