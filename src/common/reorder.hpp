// SPDX-License-Identifier: Apache-2.0
// Reorder: its descriptor, checked (specification: "Reorder").
#pragma once

#include "common/op_desc.hpp"

namespace dnnl::impl {

/// Throws error(invalid_arguments) where dims disagree or a layout is `any`.
reorder_desc make_reorder_desc(const memory_desc *src, const memory_desc *dst);

} // namespace dnnl::impl
