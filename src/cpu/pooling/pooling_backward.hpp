// SPDX-License-Identifier: Apache-2.0
// Pooling backward; make_pooling() chooses between forward and backward.
#pragma once

#include "common/plan/implementation.hpp"

namespace dnnl::impl::cpu {

/// Layouts are resolved and element types checked: gradients are f32, bf16 or f16.
planned make_pooling_backward(problem &p);

} // namespace dnnl::impl::cpu
