// SPDX-License-Identifier: Apache-2.0
// Eltwise: its descriptor, checked (specification: "Elementwise").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// True for the algorithms of eltwise, the *_use_dst_for_bwd kinds included.
bool is_eltwise_algorithm(dnnl_alg_kind_t alg);
/// True for those that clip to [alpha, beta].
bool is_clip(dnnl_alg_kind_t alg);

/// prop: forward_training, forward_inference or backward_data. Forward: data is null. Backward: src
/// is diff_src, dst is diff_dst, data is src, or dst for the *_use_dst_for_bwd kinds.
/// Throws error(invalid_arguments) where shapes disagree or alg does not take alpha and beta.
eltwise_desc make_eltwise_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, float alpha, float beta);

} // namespace dnnl::impl
