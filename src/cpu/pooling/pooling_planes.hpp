// SPDX-License-Identifier: Apache-2.0
// Pooling of images whose pixels of a row are adjacent, plane by plane.
#pragma once

#include "common/plan/implementation.hpp"

namespace dnnl::impl::cpu {

/// Pooling forward and backward of f32 or bf16, without dilation, post-ops or a workspace to write,
/// with strides of up to 2 along a row.
planned make_plane_pooling(problem &p);

} // namespace dnnl::impl::cpu
