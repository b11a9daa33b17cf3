// SPDX-License-Identifier: Apache-2.0
// The arithmetic of recurrent cells around the matrix products (specification: "RNN"), on blocks of
// rows of the batch and channels. The G gates of a row begin gate_step elements from each other,
// and so do their biases, scales and peephole weights. Rows of X are X_row elements apart.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"

namespace dnnl::impl::cpu {

/// How states are stored and rounded. f16: rounded to f16, stored as f32. 8 bits: a real number x
/// stands as round(x * scale + shift).
struct rnn_state_format {
    data_type type;
    f32 scale, shift;
};

enum class rnn_forward_stage : std::int32_t {
    vanilla,    ///< h = activation(x)
    lstm,       ///< i f c~ o, c and h; where a projection follows, operand = h and h is not written
    gru_reset,  ///< u and r, operand = r h
    gru_output, ///< o and h
    lbr_gru,    ///< u r o, h; `linear` holds U_o h, and with `keep` gets bias[3] added
    project     ///< h = x, the sums of the projection
};

/// x = sum + bias, or fma(f32(sum - compensation), column_scales, bias) of integer sums.
struct rnn_forward_args {
    rnn_forward_stage stage;
    algorithm activation; // vanilla: relu (slope alpha), tanh, logistic
    f32 alpha;
    bool keep; // store the gates (relu: x) for the backward pass
    rnn_state_format state;
    dim_t rows, channels, gate_step;
    f32 *gates; // [rows][G]: what is kept
    dim_t gates_row;
    void
        *sums; // [rows][G] of f32 or s32, sum_step from gate to gate; overwritten; may lie in gates
    dim_t sums_row, sum_step;
    const f32 *bias;          // [G], lbr_gru: [4]; null: 0
    const f32 *peephole;      // [3]: i f o; null: none
    const f32 *column_scales; // [G]; null: f32 sums
    const s32 *compensation;  // [G]
    const f32 *previous_c;
    f32 *c, *linear; // linear: written by lstm with projection where not null
    dim_t c_row, linear_row;
    const void *previous_h;
    void *h, *operand; // of the state's type
    dim_t previous_h_row, h_row, operand_row;
    const f32 *attention; // per row; null: none
};

enum class rnn_backward_stage : std::int32_t {
    vanilla,
    lstm,
    gru_output, ///< gates u and o; diff_h = diff_cell * (1 - attention) * u
    gru_reset,  ///< gate r from diff_operand; operand = r h; adds to diff_h
    lbr_gru     ///< all gates, diff_linear, diff_h
};

/// diff_gates are gradients with respect to the arguments of the gates' activations; all are f32.
struct rnn_backward_args {
    rnn_backward_stage stage;
    algorithm activation;
    f32 alpha;
    rnn_state_format state;
    dim_t rows, channels, gate_step;
    const f32 *gates;
    f32 *diff_gates;
    dim_t gates_row;
    const f32 *diff_cell; // with respect to h, before the projection
    dim_t diff_cell_row;
    const f32 *peephole;
    const f32 *previous_c, *c;
    f32 *diff_c;
    dim_t c_row;
    const f32 *linear, *diff_operand; // diff_operand: with respect to r h
    f32 *diff_linear, *operand;
    dim_t linear_row; // of these four
    const void *previous_h;
    dim_t previous_h_row;
    f32 *diff_h;
    dim_t diff_h_row;
    const f32 *attention;
    f32 *diff_attention; // per row, with `attention`: channels must be all of them
};

enum class rnn_rows_operation : std::int32_t {
    quantize,   ///< out = the state nearest to a (f32)
    dequantize, ///< out (f32) = the real number that state a stands for
    add         ///< out = a + b of states as real numbers; out f32 or of the state's type
};
struct rnn_rows_args {
    rnn_rows_operation what;
    rnn_state_format state;
    data_type out_type;
    dim_t rows, columns;
    const void *a, *b;
    void *out;
    dim_t a_row, b_row, out_row;
};

/// sums[j] += sum over rows of a[row][j] * b[row][j], added in the order of rows. No a: 1.
struct rnn_product_sums_args {
    dim_t rows, columns;
    const f32 *a, *b;
    dim_t a_row, b_row;
    f32 *sums;
};

template <class Isa> void rnn_cell_forward(const rnn_forward_args &args);
template <class Isa> void rnn_cell_backward(const rnn_backward_args &args);
template <class Isa> void rnn_rows(const rnn_rows_args &args);
template <class Isa> void rnn_product_sums(const rnn_product_sums_args &args);

} // namespace dnnl::impl::cpu
