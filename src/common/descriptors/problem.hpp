// SPDX-License-Identifier: Apache-2.0
// One request, before and while an implementation is chosen for it.
#pragma once

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

} // namespace dnnl::impl
