// SPDX-License-Identifier: Apache-2.0
// Extents of products, for those of floating-point numbers and those of integers.
#pragma once

#include "operator.hpp"

namespace dnnl_onnx {

/// Tells the output of a convolution of two inputs; weights are [outputs, inputs / groups,
/// kernel...].
void tell_convolution(op_context &c, std::size_t src, std::size_t weights, element_type type);

/// Extents of a product of matrices, by numpy's rules.
extents product_extents(const op_context &c, extents a, extents b);

} // namespace dnnl_onnx
