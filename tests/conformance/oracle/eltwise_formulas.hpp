// SPDX-License-Identifier: Apache-2.0
// Elementwise functions in f64, with the limits of doc/numerics.md ("Promises"),
// and the two-operand functions of binary.
#pragma once

#include "oracle/interval.hpp"

namespace conformance {

/// f(x) in f64.
double eltwise_value(dnnl::algorithm alg, double x, double alpha, double beta);

/// f'(x); for the *_use_dst_for_bwd algorithms x is the forward result.
double eltwise_derivative(dnnl::algorithm alg, double x, double alpha, double beta);

/// Results that a conforming implementation may give for an argument in x.
interval eltwise_forward(dnnl::algorithm alg, const interval &x, double alpha, double beta);

/// dd * f'(x) with the limits for backward.
interval eltwise_backward(
    dnnl::algorithm alg, double diff_dst, double x, double alpha, double beta);

/// op(a, b); comparisons give 1 or 0.
interval binary_result(dnnl::algorithm alg, const interval &a, const interval &b);

} // namespace conformance
