// SPDX-License-Identifier: Apache-2.0
// The formulas of eltwise (specification: "Eltwise") on one value. They are evaluated in f64, in
// forms without cancellation, and rounded to f32 once, but for linear, hardsigmoid and hardswish.
// NaN propagates.
#pragma once

#include "dnnl/dnnl_types.h"

namespace dnnl::impl::ref {

/// d = f(s; alpha, beta). The *_use_dst_for_bwd kinds compute what their plain kinds do.
float eltwise_forward(dnnl_alg_kind_t alg, float s, float alpha, float beta);

/// dd * f'; data is s, or d for the *_use_dst_for_bwd kinds. 0 where f' is 0, but for a NaN dd.
float eltwise_backward(dnnl_alg_kind_t alg, float dd, float data, float alpha, float beta);

} // namespace dnnl::impl::ref
