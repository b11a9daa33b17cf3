// SPDX-License-Identifier: Apache-2.0
// Reduction: its descriptor, checked (specification: "Reduction").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// True for the algorithms norm_lp_*.
bool is_norm(dnnl_alg_kind_t alg);

/// dst has src's dims, or 1 where they are reduced; at least one is. p >= 1 and epsilon are read by
/// norms only. Throws error(invalid_arguments) where shapes disagree, nothing is reduced or p is
/// below 1 for a norm.
reduction_desc make_reduction_desc(
    dnnl_alg_kind_t alg, const memory_desc *src, const memory_desc *dst, float p, float epsilon);

/// True when dimension d is reduced.
inline bool is_reduced(const reduction_desc &desc, int d) {
    return desc.dst.dims[d] != desc.src.dims[d];
}

/// The number of elements that are reduced to one element of dst; 0 for an empty reduction.
dim_t reduced_count(const reduction_desc &desc);

} // namespace dnnl::impl
