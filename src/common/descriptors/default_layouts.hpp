// SPDX-License-Identifier: Apache-2.0
// Layouts for tensors that came as `any`, for implementations without wishes of their own.
#pragma once

#include <initializer_list>

#include "common/descriptors/problem.hpp"

namespace dnnl::impl {

/// Replaces what is still `any` in the operation: by the layout of the tensor that it follows (dst
/// follows src, gradients follow the tensor or gradient of equal dims, a workspace follows dst),
/// otherwise by plain row-major. Then resolves the post-ops and the mask of dropout. An
/// implementation that wants a layout of its own sets it before the call.
void default_layouts(problem &p);

// Of one tensor, where it is `any`:
/// row-major.
void make_plain(memory_desc &md);
/// The layout of the first model that has one and the same rank, else row-major.
void follow(memory_desc &md, std::initializer_list<const memory_desc *> models);
/// The layout of the model, but row-major where a block of it would be padding alone because the
/// tensor has extent 1 there and the model has not.
void follow_broadcast(memory_desc &md, const memory_desc &model);

/// Gives every binary post-op source that is `any` the layout of dst (broadcast dims: plain).
void resolve_post_op_layouts(primitive_attr &attr, const memory_desc &dst);

/// The tensor that the attributes' destination side describes: dst of forward operations, diff_src
/// of the convolution inside a deconvolution.
const memory_desc &destination_of(const op_desc &op);

} // namespace dnnl::impl
