// SPDX-License-Identifier: Apache-2.0
// Kernels of the row-wise primitives by instruction set; baseline code like select.hpp.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

struct binary_args;
struct depthwise_args;
struct depthwise_weights_args;
struct eltwise_args;
struct lrn_args;
struct normalize_args;
enum class normalize_step;
struct pool_forward_args;
struct pool_backward_args;
struct interpolate_args;
struct prelu_args;
struct prelu_weights_args;
struct reduce_args;
struct reduce_finish_args;
struct rnn_forward_args;
struct rnn_backward_args;
struct rnn_rows_args;
struct rnn_product_sums_args;
struct softmax_args;

/// Precondition of all: has(target, isa::avx2).
void (*select_binary(isa target))(const binary_args &);
void (*select_depthwise(isa target))(const depthwise_args &);
void (*select_depthwise_weights(isa target))(const depthwise_weights_args &);
void (*select_eltwise_forward(isa target))(const eltwise_args &);
void (*select_eltwise_backward(isa target))(const eltwise_args &);
void (*select_lrn(isa target, bool forward))(const lrn_args &);
void (*select_normalize(isa target, normalize_step step))(const normalize_args &);
void (*select_pool_forward(isa target))(const pool_forward_args &);
void (*select_pool_backward(isa target))(const pool_backward_args &);
/// A row of results whose adjacent elements are channels, or pixels.
void (*select_interpolate(isa target, bool channels))(const interpolate_args &);
void (*select_prelu(isa target))(const prelu_args &);
void (*select_prelu_weights(isa target))(const prelu_weights_args &);
/// Columns, which are added up side by side, or rows of adjacent elements.
void (*select_reduce(isa target, bool columns))(const reduce_args &);
void (*select_reduce_finish(isa target))(const reduce_finish_args &);
void (*select_rnn_cell_forward(isa target))(const rnn_forward_args &);
void (*select_rnn_cell_backward(isa target))(const rnn_backward_args &);
void (*select_rnn_rows(isa target))(const rnn_rows_args &);
void (*select_rnn_product_sums(isa target))(const rnn_product_sums_args &);
/// Lines along the axis that are adjacent elements, or (by_columns) lie side by side.
void (*select_softmax(isa target, bool forward, bool by_columns))(const softmax_args &);

} // namespace dnnl::impl::cpu
