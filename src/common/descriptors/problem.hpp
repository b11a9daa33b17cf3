// SPDX-License-Identifier: Apache-2.0
// One request, before and while an implementation is chosen for it: the check of its attributes
// against what its primitive offers, and the layouts of tensors that came as `any` and for which
// the implementation has no wish of its own.
#pragma once

#include <initializer_list>

#include "common/attributes/attributes.hpp"
#include "common/descriptors/op_desc.hpp"
#include "common/plain_types.hpp"
#include "common/runtime/scratchpad.hpp"

namespace dnnl::impl {

struct problem {
    op_desc op;             ///< make_plan() replaces every layout `any`
    primitive_attr attr;    ///< resolved like the operation, sources of binary post-ops included
    isa target = isa::none; ///< the features that the row may use
    scratchpad_layout scratchpad; ///< what execute() needs, reserved by make_plan()
};

/// Throws error(unimplemented) for a kind, argument or mask that no implementation of the primitive
/// offers, error(invalid_arguments) for post-op tensors that do not fit dst and masks beyond its
/// dimensions. The reason names the attribute.
void check_attributes(const op_desc &op, const primitive_attr &attr);

/// Replaces layouts that are still `any`. A tensor takes the layout of the tensor that it follows
/// (dst follows src, a gradient follows the tensor or gradient of equal dims, a workspace follows
/// dst), else plain row-major. Then resolves the post-ops and the mask of dropout. An
/// implementation that wants a layout of its own sets it before the call.
void default_layouts(problem &p);

// Makes a tensor row-major where it is `any`.
void make_plain(memory_desc &md);
/// Gives md the layout of the first model that has one and the same rank, else makes it row-major.
void follow(memory_desc &md, std::initializer_list<const memory_desc *> models);
/// Gives md the layout of the model. Where md has extent 1 along a dimension of which the model has
/// blocks, a block would consist of padding alone: then md becomes row-major.
void follow_broadcast(memory_desc &md, const memory_desc &model);

} // namespace dnnl::impl
