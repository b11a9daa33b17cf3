// SPDX-License-Identifier: Apache-2.0
// Reorder: its descriptor, checked (specification: "Reorder").
#pragma once

#include "common/descriptors/op_desc.hpp"
#include "common/descriptors/problem.hpp"

namespace dnnl::impl {

/// Throws error(invalid_arguments) where dims disagree or a layout is `any`.
reorder_desc make_reorder_desc(const memory_desc *src, const memory_desc *dst);

/// What every implementation refuses: pairs of types without a conversion and
/// post-ops other than one sum without a zero point. Null when there is nothing of that.
const char *reorder_refusal(const problem &p);

} // namespace dnnl::impl
