// SPDX-License-Identifier: Apache-2.0
// What rnn_qparams mean: for recurrent networks with 8-bit tensors, and for reorders between f32
// and these tensors (specification: "RNN", quantization).
#pragma once

#include <vector>

#include "common/attributes/attributes.hpp"
#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// Throws error(unimplemented) for masks that are not offered, for values known at execution only
/// and where a network with 8-bit tensors has no parameters, error(invalid_arguments) for too few
/// scales.
void check_quantization(const rnn_desc &desc, const rnn_quantization &q);

/// dst = (src - src_zero_point) * src_scale / dst_scale + dst_zero_point, with values that are
/// known at creation. Empty: absent.
struct reorder_values {
    std::vector<float> src_zero_point, src_scale, dst_scale, dst_zero_point;
    int mask = 0; ///< of the scales; zero points are one value

    bool empty() const { return src_scale.empty() && dst_scale.empty(); }
};

/// What the parameters make of a reorder that check_reorder_quantization() let pass. Data of three
/// or four dimensions becomes x * scale + shift; weights, of five dimensions, and those of the
/// projection become x * scale of their gate and output channel. From 8 bits the inverse. Between
/// 8-bit tensors nothing: they hold what was quantized before.
///
/// Four dimensions of s8 are states or weights of the projection: these where the layout is one
/// that a network chose, which has column sums, where it is blocked and scales of a projection are
/// set, or where the parameters of data are not set.
reorder_values values_of(const reorder_desc &op, const rnn_quantization &q);

/// The parameters that values_of() reads for this reorder alone: those of a reorder that does a
/// part of it, in another layout.
rnn_quantization parameters_of(const reorder_desc &op, const rnn_quantization &q);

/// Throws error(unimplemented) for types and ranks that are not those of 8-bit networks, masks that
/// are not offered and values known at execution only; error(invalid_arguments) for too few scales.
void check_reorder_quantization(const reorder_desc &op, const rnn_quantization &q);

} // namespace dnnl::impl
