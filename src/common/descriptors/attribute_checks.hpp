// SPDX-License-Identifier: Apache-2.0
// Which attributes a primitive takes at all, whatever the implementation (doc/support.md).
#pragma once

#include "common/descriptors/problem.hpp"

namespace dnnl::impl {

/// Throws error(unimplemented) for a kind, argument or mask that no implementation of the primitive
/// offers, error(invalid_arguments) for post-op tensors that do not fit dst and masks beyond its
/// dimensions. The reason names the attribute.
void check_attributes(const op_desc &op, const primitive_attr &attr);

} // namespace dnnl::impl
