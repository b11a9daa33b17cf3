// SPDX-License-Identifier: Apache-2.0
// The cells and products of a recurrent network's backward pass: of one step, and of a layer's
// input for all time steps.
#include "cpu/rnn/rnn_backward.hpp"

namespace dnnl::impl::cpu {

using enum rnn_tensor;

/// diff_output = the gradient from the layer above plus that from the following step.
void gemm_rnn_backward::add_outputs(const execution &e, const cell &at) const {
    rnn_rows_args args {};
    args.what = rnn_rows_operation::add;
    args.state.type = args.out_type = data_type::f32;
    args.rows = s_.MB;
    args.columns = args.out_row = s_.DIC;
    args.a = diff_layer(e, at.l, at.d) + at.t * s_.MB * layer_row();
    args.a_row = layer_row();
    args.b = e.diff_h;
    args.b_row = widest_h();
    args.out = e.diff_output + at.t * s_.MB * s_.DIC;
    run(args);
}

rnn_backward_args gemm_rnn_backward::arguments(
    const execution &e, const cell &at, const rnn_block &b, rnn_backward_stage stage) const {
    const dim_t channels = b.row * s_.DHC + b.column, row = at.t * s_.MB + b.row;
    rnn_backward_args a {};
    a.stage = stage;
    a.activation = static_cast<algorithm>(desc_.activation);
    a.alpha = desc_.alpha;
    a.state = format_;
    a.rows = b.rows;
    a.channels = b.columns;
    a.gate_step = s_.DHC;
    a.gates_row = s_.G * s_.DHC;
    a.gates = states_.gates(e.states, at.l, at.d, at.t) + b.row * a.gates_row + b.column;
    a.diff_gates = e.diff_gates + row * a.gates_row + b.column;
    a.diff_cell =
        s_.projection ? e.diff_operand + channels : e.diff_output + row * s_.DHC + b.column;
    a.diff_cell_row = a.c_row = a.linear_row = s_.DHC;
    const dim_t first = at.l * s_.D + at.d;
    a.peephole = moved(e.tensor<f32>(weights_peephole), first * 3 * s_.DHC + b.column);
    a.previous_c = moved(at.previous_c, channels);
    a.c = states_.c(e.states, at.l, at.d, at.t) + channels;
    a.diff_c = e.diff_c + channels;
    if (states_.has_linear()) a.linear = states_.linear(e.states, at.l, at.d, at.t) + channels;
    a.diff_operand = e.diff_operand + channels;
    a.diff_linear = e.diff_linear + row * s_.DHC + b.column;
    a.operand = e.operand + row * s_.DHC + b.column;
    a.previous_h = at.previous_h + (b.row * s_.SIC + b.column) * state_bytes();
    a.previous_h_row = s_.SIC;
    a.diff_h = e.diff_h + b.row * widest_h() + b.column;
    a.diff_h_row = widest_h();
    a.attention = moved(e.tensor<f32>(attention), row);
    a.diff_attention = moved(e.diff(attention), row);
    return a;
}

/// The arithmetic of a stage on whole rows, cut among the threads by rows.
void gemm_rnn_backward::run_stage(
    const execution &e, const cell &at, rnn_backward_stage stage) const {
    const double row_ns = 4.0 * static_cast<double>(s_.DHC);
    parallel_for(s_.MB, row_ns, threads_, [&](int, dim_t begin, dim_t end) {
        rnn_grid rows(s_.MB, s_.DHC, iter_.driver(), 1);
        rows.column_block = s_.DHC;
        rnn_block b(rows, 0);
        b.row = begin;
        b.rows = end - begin;
        kernel_for<vector_levels>(target_, []<class Isa> { return rnn_cell_backward<Isa>; })(
            arguments(e, at, b, stage));
    });
}

/// diff_h (+)= a[gate] x the transposed weights of gates [first, first + gates): only a vanilla
/// cell and an LSTM have nothing in diff_h to add to.
void gemm_rnn_backward::multiply_state(
    const execution &e, const cell &at, dim_t first, dim_t gates, const f32 *a) const {
    const bool one = gates == 1 && is_linear_before_reset(desc_.cell_kind);
    const dim_t a_row = one ? s_.DHC : s_.G * s_.DHC;
    rnn_product product {at.l, at.d, a, a_row, e.diff_h, widest_h()};
    product.first_gate = first;
    product.gates = gates;
    product.a_gate_step = s_.DHC;
    product.accumulate = is_gru();
    for_each_block(iter_, s_.MB, gates, 0,
        [&](const rnn_block &b) { iter_.multiply(e.weights_iter, b, product); });
}

void gemm_rnn_backward::run_cell(const execution &e, const cell &at) const {
    using stage = rnn_backward_stage;
    const dim_t row = at.t * s_.MB;
    const f32 *diff_gates = e.diff_gates + row * s_.G * s_.DHC;
    add_outputs(e, at);
    if (s_.projection) {
        const rnn_product product {
            at.l, at.d, e.diff_output + row * s_.DIC, s_.DIC, e.diff_operand, s_.DHC};
        for_each_block(projection_, s_.MB, 1, 0,
            [&](const rnn_block &b) { projection_.multiply(e.projection, b, product); });
    }
    if (!is_gru()) {
        run_stage(e, at, is_lstm(desc_.cell_kind) ? stage::lstm : stage::vanilla);
        return multiply_state(e, at, 0, s_.G, diff_gates);
    }
    if (is_linear_before_reset(desc_.cell_kind)) {
        run_stage(e, at, stage::lbr_gru);
        multiply_state(e, at, 0, 2, diff_gates);
        return multiply_state(e, at, 2, 1, e.diff_linear + row * s_.DHC);
    }
    run_stage(e, at, stage::gru_output);
    rnn_product product {at.l, at.d, diff_gates + 2 * s_.DHC, 3 * s_.DHC, e.diff_operand, s_.DHC};
    product.first_gate = 2;
    for_each_block(iter_, s_.MB, 1, 0,
        [&](const rnn_block &b) { iter_.multiply(e.weights_iter, b, product); });
    run_stage(e, at, stage::gru_reset);
    multiply_state(e, at, 0, 2, diff_gates);
}

/// With respect to the layer's input, for all time steps.
void gemm_rnn_backward::multiply_layer(const execution &e, dim_t l, dim_t d) const {
    const dim_t row = s_.G * s_.DHC;
    rnn_product product {l, d, e.diff_gates, row, diff_layer(e, l - 1, d), layer_row()};
    product.gates = s_.G;
    product.a_gate_step = s_.DHC;
    for_each_block(layer_, s_.T * s_.MB, s_.G, 0,
        [&](const rnn_block &b) { layer_.multiply(e.weights_layer, b, product); });
}

} // namespace dnnl::impl::cpu
