// SPDX-License-Identifier: Apache-2.0
// One request, before and while an implementation is chosen for it: its attributes against what its
// primitive offers, and layouts for tensors that came as `any`, for implementations without wishes
// of their own.
#pragma once

#include <initializer_list>

#include "common/attributes/attributes.hpp"
#include "common/descriptors/op_desc.hpp"
#include "common/plain_types.hpp"
#include "common/runtime/scratchpad.hpp"

namespace dnnl::impl {

struct problem {
    op_desc op;                   ///< make_plan() replaces every layout `any`
    primitive_attr attr;          ///< and every `any` of a binary post-op's source
    isa target = isa::none;       ///< the features that the row may use
    scratchpad_layout scratchpad; ///< what execute() needs, reserved by make_plan()
};

/// Throws error(unimplemented) for a kind, argument or mask that no implementation of the primitive
/// offers, error(invalid_arguments) for post-op tensors that do not fit dst and masks beyond its
/// dimensions. The reason names the attribute.
void check_attributes(const op_desc &op, const primitive_attr &attr);

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

} // namespace dnnl::impl
