// SPDX-License-Identifier: Apache-2.0
// One recurrent cell on one row: forward and backward with error bounds.
#pragma once

#include "oracle/bounded.hpp"
#include "oracle/rnn_shape.hpp"
#include "oracle/tensor.hpp"

namespace conformance {

/// Tensors of the problem; null where the problem has none.
struct rnn_tensors {
    const tensor *weights_layer = nullptr, *weights_iter = nullptr, *bias = nullptr,
                 *peephole = nullptr, *projection = nullptr;
};

/// Quantization of an int8 problem: x = (q - shift) / scale, w = q / weights_scale.
struct rnn_quantization {
    double scale = 1, shift = 0;
    std::vector<double> weights;    // one, or one per gate and channel
    std::vector<double> projection; // one, or one per channel
};

/// How the cells of a case compute.
struct rnn_setting {
    const rnn_shape &shape;
    const rnn_quantization &quantization;
    std::string activation; // of vanilla cells, with `alpha`
    double alpha;
    bool overwrite;       // gradients of parameters replace what was there
    double vanishing = 0; // factors and sums of products below it may count as zero
};

/// Everything about one evaluation of a cell, kept for the way back.
struct cell_record {
    bounded_row x, h, c; // inputs
    bounded attention;   // of the step
    bounded_row gate[4]; // after their functions; order of the specification
    bounded_row linear;  // LBR: U_o h + B_u'
    bounded_row slope;   // vanilla: derivative of the activation
    bounded_row hidden;  // LSTM: h' in front of the projection
    bounded_row h_next, c_next;
    bounded_row state; // h_next as it is held in between cells
};

/// Sums of the gradients of one layer and direction.
struct parameter_gradients {
    parameter_gradients(const rnn_shape &s, double vanishing)
        : layer(std::size_t(s.SLC * s.G * s.DHC), bounded_sum(vanishing)),
          iter(std::size_t(s.SIC * s.G * s.DHC), bounded_sum(vanishing)),
          bias(std::size_t(s.B * s.DHC)), peephole(std::size_t(3 * s.DHC)),
          projection(std::size_t(s.DHC * s.DIC), bounded_sum(vanishing)) {}
    std::vector<bounded_sum> layer, iter, bias, peephole, projection;
};

class rnn_cell {
  public:
    /// The cell of layer l and direction d.
    rnn_cell(const rnn_setting &setting, const rnn_tensors &tensors, dim l, dim d);

    /// Fills gates, h_next and c_next from x, h, c and attention.
    void forward(cell_record &r) const;

    struct gradients {
        bounded_row h, c;  // in: of h_next and c_next; out: of h and c
        bounded_row x;     // out
        bounded attention; // out
    };
    /// Goes back through a cell whose record is filled.
    void backward(const cell_record &r, gradients &g, parameter_gradients &sums) const;

  private:
    bounded_row linear(const cell_record &r, dim gate, const bounded_row *h) const;
    bounded dequantized(const bounded_sum &sum, double compensation, double weights_scale) const;
    void lstm_forward(cell_record &r) const;
    void gru_forward(cell_record &r) const;
    bounded_row projected(const bounded_row &hidden) const;
    void lstm_backward(const cell_record &r, gradients &g, parameter_gradients &sums) const;
    void gru_backward(const cell_record &r, gradients &g, parameter_gradients &sums) const;
    /// Gradients through W, U and B of one gate: `da` is the gradient of their sum, `state` what U
    /// multiplied.
    void through_layer(dim gate, const bounded_row &da, const cell_record &r, gradients &g,
        parameter_gradients &sums) const;
    void through_iter(dim gate, const bounded_row &da, const bounded_row &state,
        bounded_row &d_state, parameter_gradients &sums) const;
    void through_bias(dim gate, const bounded_row &da, parameter_gradients &sums) const;
    /// A gradient in the type that the products of the way back take.
    bounded_row as_operand(const bounded_row &x) const;
    bounded_row diff_hidden(
        const cell_record &r, const gradients &g, parameter_gradients &sums) const;
    bounded_row state_in(const bounded_row &h) const;

    double weight(const tensor &w, dim i, dim gate, dim o) const {
        return w
            .values[std::size_t((((l_ * s_.D + d_) * w.shape[2] + i) * s_.G + gate) * s_.DHC + o)];
    }
    double bias(dim gate, dim o) const {
        return t_.bias ? t_.bias->values[std::size_t(((l_ * s_.D + d_) * s_.B + gate) * s_.DHC + o)]
                       : 0;
    }
    double peephole(dim gate, dim o) const {
        return t_.peephole->values[std::size_t(((l_ * s_.D + d_) * 3 + gate) * s_.DHC + o)];
    }
    double projection(dim i, dim o) const {
        return t_.projection->values[std::size_t(((l_ * s_.D + d_) * s_.DHC + i) * s_.DIC + o)];
    }

    const rnn_shape &s_;
    const rnn_tensors &t_;
    const rnn_quantization &q_;
    const dim l_, d_;
    const std::string &activation_;
    const double alpha_, vanishing_;
};

} // namespace conformance
