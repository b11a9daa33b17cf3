// SPDX-License-Identifier: Apache-2.0
// The products and cells of a recurrent network's forward pass: of a layer for all time steps, and
// of one step.
#include "cpu/rnn/rnn_forward.hpp"

namespace dnnl::impl::cpu {

using enum rnn_tensor;

namespace {
constexpr double cell_ns = 4; ///< of one element
} // namespace

/// shift * (sums of the weights of each gate), over both weights.
void gemm_rnn_forward::compensate(const execution &e, dim_t l, dim_t d) const {
    const auto shift = static_cast<s32>(format_.shift);
    s32 *out = e.compensation;
    for (dim_t g = 0; g < s_.G; ++g) {
        const s32 *layer = layer_.column_sums(e.weights_layer, l, d, g);
        const s32 *iter = iter_.column_sums(e.weights_iter, l, d, g);
        for (dim_t o = 0; o < s_.DHC; ++o) *out++ = shift * (layer[o] + iter[o]);
    }
    if (!s_.projection) return;
    const s32 *sums = projection_.column_sums(e.projection, l, d, 0);
    for (dim_t o = 0; o < s_.DIC; ++o) *out++ = shift * sums[o];
}

/// gates[t][n][g][o] = sum over i of x[t][n][i] * weights[i][g][o], for all time steps.
void gemm_rnn_forward::multiply_layer(const execution &e, dim_t l, dim_t d) const {
    const char *x = l == 0 ? e.tensor<char>(src_layer)
                           : reinterpret_cast<const char *>(states_.h(e.states, l - 1, d, 0));
    const dim_t row = s_.G * s_.DHC;
    rnn_product product {l, d, x, s_.SLC, states_.gates(e.states, l, d, 0), row};
    product.gates = s_.G;
    product.gate_step = s_.DHC;
    for_each_block(layer_, s_.T * s_.MB, s_.G, 0,
        [&](const rnn_block &b) { layer_.multiply(e.weights_layer, b, product); });
}

rnn_forward_args gemm_rnn_forward::arguments(
    const execution &e, const cell &at, const rnn_block &b, rnn_forward_stage stage) const {
    const dim_t bytes = state_bytes(), channels = b.row * s_.DHC + b.column;
    rnn_forward_args a {};
    a.stage = stage;
    a.activation = static_cast<algorithm>(desc_.activation);
    a.alpha = desc_.alpha;
    a.keep = is_training();
    a.state = format_;
    a.rows = b.rows;
    a.channels = b.columns;
    a.gate_step = s_.DHC;
    a.gates_row = s_.G * s_.DHC;
    a.gates = at.gates + b.row * a.gates_row + b.column;
    const dim_t first = at.l * s_.D + at.d;
    a.bias = moved(e.tensor<f32>(bias), first * s_.B * s_.DHC + b.column);
    a.peephole = moved(e.tensor<f32>(weights_peephole), first * 3 * s_.DHC + b.column);
    if (is_quantized()) {
        a.column_scales = column_scales_.data() + b.column;
        a.compensation = e.compensation + b.column;
    }
    a.previous_c = moved(at.previous_c, channels);
    a.c = at.c + channels;
    if (states_.has_linear()) a.linear = at.linear + channels;
    a.c_row = a.linear_row = s_.DHC;
    a.previous_h = at.previous_h + (b.row * s_.SIC + b.column) * bytes;
    a.h = at.h + (b.row * s_.DIC + b.column) * bytes;
    a.previous_h_row = s_.SIC;
    a.h_row = s_.DIC;
    if (s_.projection || resets_state(desc_.cell_kind)) a.operand = at.operand + channels * bytes;
    a.operand_row = s_.DHC;
    a.attention = moved(e.tensor<f32>(attention), at.t * s_.MB + b.row);
    return a;
}

/// The product of the previous state with the weights of the gates that take it as it is, and what
/// can be computed from them.
void gemm_rnn_forward::run_cell(const execution &e, const cell &at) const {
    const dnnl_alg_kind_t kind = desc_.cell_kind;
    const bool linear = is_linear_before_reset(kind);
    const dim_t gates = linear || resets_state(kind) ? 2 : s_.G;
    const auto stage = linear               ? rnn_forward_stage::lbr_gru
                       : resets_state(kind) ? rnn_forward_stage::gru_reset
                       : is_lstm(kind)      ? rnn_forward_stage::lstm
                                            : rnn_forward_stage::vanilla;
    rnn_product product {at.l, at.d, at.previous_h, s_.SIC, at.gates, s_.G * s_.DHC};
    product.gates = gates;
    product.gate_step = s_.DHC;
    product.accumulate = true;
    rnn_product linear_product {at.l, at.d, at.previous_h, s_.SIC, at.linear, s_.DHC};
    linear_product.first_gate = 2;
    for_each_block(iter_, s_.MB, gates + linear, cell_ns, [&](const rnn_block &b) {
        iter_.multiply(e.weights_iter, b, product);
        if (linear) iter_.multiply(e.weights_iter, b, linear_product);
        run(arguments(e, at, b, stage));
    });
}

/// Gate o of a GRU: U_o (r h) joins its sums.
void gemm_rnn_forward::run_gru_output(const execution &e, const cell &at) const {
    rnn_product product {at.l, at.d, at.operand, s_.DHC, at.gates + 2 * s_.DHC, s_.G * s_.DHC};
    product.first_gate = 2;
    product.accumulate = true;
    for_each_block(iter_, s_.MB, 1, cell_ns, [&](const rnn_block &b) {
        iter_.multiply(e.weights_iter, b, product);
        run(arguments(e, at, b, rnn_forward_stage::gru_output));
    });
}

void gemm_rnn_forward::project(const execution &e, const cell &at, f32 *sums) const {
    const rnn_product product {at.l, at.d, at.operand, s_.DHC, sums, s_.DIC};
    for_each_block(projection_, s_.MB, 1, cell_ns, [&](const rnn_block &b) {
        projection_.multiply(e.projection, b, product);
        rnn_forward_args args {};
        args.stage = rnn_forward_stage::project;
        args.state = format_;
        args.rows = b.rows;
        args.channels = b.columns;
        args.gates = sums + b.row * s_.DIC + b.column;
        args.gates_row = args.h_row = s_.DIC;
        if (is_quantized()) {
            args.column_scales = column_scales_.data() + s_.G * s_.DHC + b.column;
            args.compensation = e.compensation + s_.G * s_.DHC + b.column;
        }
        args.h = at.h + (b.row * s_.DIC + b.column) * state_bytes();
        run(args);
    });
}

} // namespace dnnl::impl::cpu
