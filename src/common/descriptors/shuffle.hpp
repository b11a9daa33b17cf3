// SPDX-License-Identifier: Apache-2.0
// Shuffle: its descriptor, checked (specification: "Shuffle").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

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
