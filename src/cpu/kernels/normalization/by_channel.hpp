// SPDX-License-Identifier: Apache-2.0
// The steps of normalize.hpp where every row has the same statistics, scales and shifts, one for
// each column: channels-last layouts. Tensors are of f32 or bf16, all of one type.
#pragma once

#include "cpu/kernels/normalization/normalize.hpp"

namespace dnnl::impl::cpu {

/// Each does its step and returns true, or returns false where the tensors are of another kind.
template <class Isa> bool sums_by_channel(const normalize_args &args);
template <class Isa> bool squares_by_channel(const normalize_args &args);
template <class Isa> bool gradient_sums_by_channel(const normalize_args &args);
template <class Isa> bool forward_by_channel(const normalize_args &args);
template <class Isa> bool backward_by_channel(const normalize_args &args);

} // namespace dnnl::impl::cpu
