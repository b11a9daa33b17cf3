// SPDX-License-Identifier: Apache-2.0
// What the products of floating-point numbers and those of 8-bit integers share.
#pragma once

#include "lowering.hpp"

namespace dnnl_onnx {

/// Weights and bias of a product with what is folded into them; empty where they are no constants,
/// or there is none.
struct parameters {
    tensor weights, bias;
};

/// `dims` are the weights' as outer x outputs x inner, whose dimension `axis` has the `outputs`.
parameters folded(lowering &to, const operation &op, int bias_input, const extents &dims, int axis,
    std::int64_t outputs);

/// Dilations as the library counts them: 0 is none.
extents minus_one(extents values);

/// A value of a strided layout with these extents, or a copy that has one.
operand viewed(lowering &to, int id, const extents &dims);

/// Whether binary post-ops over a result of these extents can be asked for over its rows.
bool operands_fit_rows(lowering &to, const operation &op);

/// The post-ops of a product whose batch is seen as one matrix.
dnnl::primitive_attr attributes_of_rows(
    lowering &to, const operation &op, const extents &rows, lowering::arguments &args);

} // namespace dnnl_onnx
