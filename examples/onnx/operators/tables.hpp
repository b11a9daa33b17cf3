// SPDX-License-Identifier: Apache-2.0
// The operators, by family; each table stands at the end of the file that implements the family.
#pragma once

#include "operator.hpp"

namespace dnnl_onnx {

struct operator_entry {
    const char *name;
    prepare_function prepare;
};
using operator_table = std::span<const operator_entry>;

operator_table shape_operators();      // Shape, Reshape, Squeeze, Range: mostly extents
operator_table movement_operators();   // Concat, Split, Transpose, Pad, Tile, Slice
operator_table indexing_operators();   // Gather, Scatter, OneHot
operator_table selection_operators();  // NonZero, Unique, TopK
operator_table function_operators();   // Relu, Exp, Cast: of one element
operator_table arithmetic_operators(); // Add, Less, And: of two and more tensors
operator_table reduction_operators();  // ReduceSum, ArgMax, CumSum
operator_table loss_operators();       // NegativeLogLikelihoodLoss, optimisers
operator_table product_operators();    // Conv, MatMul, Gemm
operator_table quantized_product_operators();
operator_table einsum_operators();
operator_table pooling_operators();       // MaxPool, AveragePool, GlobalAveragePool, LRN
operator_table resize_operators();        // Resize, Upsample
operator_table image_operators();         // RoiAlign, GridSample, NonMaxSuppression, MaxUnpool
operator_table normalization_operators(); // BatchNormalization, Softmax
operator_table recurrent_operators();     // LSTM, GRU, RNN
operator_table quantization_operators();  // QuantizeLinear, DynamicQuantizeLinear
operator_table signal_operators();        // DFT, STFT, windows

} // namespace dnnl_onnx
