// SPDX-License-Identifier: Apache-2.0
// Reorder, concat, sum and shuffle: their descriptors, checked (specification: "Reorder",
// "Concat", "Sum", "Shuffle").
#pragma once

#include "common/descriptors/op_desc.hpp"
#include "common/descriptors/problem.hpp"

namespace dnnl::impl {

/// Throws error(invalid_arguments) where dims disagree or a layout is `any`.
reorder_desc make_reorder_desc(const memory_desc *src, const memory_desc *dst);

/// What every implementation refuses: pairs of types without a conversion and
/// post-ops other than one sum without a zero point. Null when there is nothing of that.
const char *reorder_refusal(const problem &p);

/// dst holds the n sources one after the other along the axis. dst may be null or empty: then it
/// has the sources' type and layout `any`. Throws error(invalid_arguments) where types or dims
/// disagree.
concat_desc make_concat_desc(
    const memory_desc *dst, int n, int axis, const memory_desc *const *srcs);

/// dst = sum over i of scales[i] * srcs[i], i < n. dst may be null or empty: then it has the dims
/// and type of srcs[0], layout `any`. Throws error(invalid_arguments) where dims disagree.
sum_desc make_sum_desc(
    const memory_desc *dst, int n, const float *scales, const memory_desc *const *srcs);

/// prop: forward_training, forward_inference or backward_data: src is diff_src, dst is diff_dst,
/// and hint, which may be null, the forward pass whose layouts replace `any`. Throws
/// error(invalid_arguments) where shapes, axis or group size disagree, error(unimplemented) where
/// types or layouts differ.
shuffle_desc make_shuffle_desc(dnnl_prop_kind_t prop, const memory_desc *src,
    const memory_desc *dst, int axis, dim_t group_size, const shuffle_desc *hint);

/// The axis as rows x columns whose transposition gives dst: dst index u + v * rows is src index
/// u * columns + v. Backward swaps the two, so that diff_dst is read and diff_src written alike.
struct shuffle_matrix {
    dim_t rows, columns;
};
shuffle_matrix matrix_of(const shuffle_desc &desc);

} // namespace dnnl::impl
