// SPDX-License-Identifier: Apache-2.0
// Concat: its descriptor, checked (specification: "Concat").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// dst holds the n sources one after the other along the axis. dst may be null or empty: then it
/// has the sources' type and layout `any`. Throws error(invalid_arguments) where types or dims
/// disagree.
concat_desc make_concat_desc(
    const memory_desc *dst, int n, int axis, const memory_desc *const *srcs);

} // namespace dnnl::impl
