// SPDX-License-Identifier: Apache-2.0
// Reorder with dimensions or strides that are known at execution only.
#pragma once

#include "common/plan/implementation.hpp"

namespace dnnl::impl::cpu {

/// Precondition: src or dst has run-time values, and the vector row takes types and attributes.
planned make_runtime_reorder(problem &);

} // namespace dnnl::impl::cpu
