// SPDX-License-Identifier: Apache-2.0
// Cells forward.
#include "oracle/rnn_cell.hpp"

namespace conformance {

rnn_cell::rnn_cell(const rnn_setting &setting, const rnn_tensors &tensors, dim l, dim d)
    : s_(setting.shape), t_(tensors), q_(setting.quantization), l_(l), d_(d),
      activation_(setting.activation), alpha_(setting.alpha), vanishing_(setting.vanishing) {}

// An int8 sum as a real number: the s32 sum less shift * (sum of weights), over both scales.
bounded rnn_cell::dequantized(
    const bounded_sum &sum, double compensation, double weights_scale) const {
    const bounded exact = sum.in_s32();
    const double factor = 1 / (q_.scale * weights_scale);
    const double shifted = q_.shift * compensation;
    bounded result((exact.value - shifted) * factor, exact.error * factor);
    result.error += 4 * u32 * (sum.magnitude() + std::abs(shifted)) * factor;
    return result;
}

// W x (+ U h) + B of one gate, before its function; `h` may be null.
bounded_row rnn_cell::linear(const cell_record &r, dim gate, const bounded_row *h) const {
    bounded_row result;
    for (dim o = 0; o < s_.DHC; ++o) {
        bounded_sum sum(vanishing_);
        double weights_sum = 0;
        for (dim i = 0; i < s_.SLC; ++i) {
            const double w = weight(*t_.weights_layer, i, gate, o);
            sum.add(r.x[std::size_t(i)], w);
            weights_sum += w;
        }
        for (dim i = 0; h && i < s_.SIC; ++i) {
            const double w = weight(*t_.weights_iter, i, gate, o);
            sum.add((*h)[std::size_t(i)], w);
            weights_sum += w;
        }
        const std::size_t channel = q_.weights.size() > 1 ? std::size_t(gate * s_.DHC + o) : 0;
        const bounded product =
            s_.types.quantized ? dequantized(sum, weights_sum, q_.weights[channel]) : sum.in_f32();
        result.push_back(product + bias(gate, o));
    }
    return result;
}

// A hidden state as the next product takes it: quantized, or of the type of the states.
bounded_row rnn_cell::state_in(const bounded_row &h) const {
    bounded_row result;
    for (const bounded &x : h)
        result.push_back(s_.types.quantized ? quantized_to(x, s_.types.state(), q_.scale, q_.shift)
                                            : held(x, s_.types.state()));
    return result;
}

bounded_row rnn_cell::projected(const bounded_row &hidden) const {
    const bounded_row operand = state_in(hidden);
    bounded_row result;
    for (dim o = 0; o < s_.DIC; ++o) {
        bounded_sum sum(vanishing_);
        double weights_sum = 0;
        for (dim i = 0; i < s_.DHC; ++i) {
            sum.add(operand[std::size_t(i)], projection(i, o));
            weights_sum += projection(i, o);
        }
        const std::size_t channel = q_.projection.size() > 1 ? std::size_t(o) : 0;
        result.push_back(s_.types.quantized ? dequantized(sum, weights_sum, q_.projection[channel])
                                            : sum.in_f32());
    }
    return result;
}

void rnn_cell::lstm_forward(cell_record &r) const {
    bounded_row a[4];
    for (dim g = 0; g < 4; ++g) a[g] = linear(r, g, &r.h);
    for (dim j = 0; j < s_.DHC; ++j) {
        const std::size_t at = std::size_t(j);
        const bounded c = r.c[at];
        if (s_.peephole) {
            a[0][at] = a[0][at] + c * peephole(0, j);
            a[1][at] = a[1][at] + c * peephole(1, j);
        }
        const bounded i = logistic(a[0][at]), f = logistic(a[1][at]), g = tangent(a[2][at]);
        const bounded c_next = f * c + i * g;
        if (s_.peephole) a[3][at] = a[3][at] + c_next * peephole(2, j);
        const bounded o = logistic(a[3][at]);
        r.hidden.push_back(tangent(c_next) * o);
        const bounded gates[4] = {i, f, g, o};
        for (int g4 = 0; g4 < 4; ++g4) r.gate[g4].push_back(gates[g4]);
        r.c_next.push_back(held(c_next, s_.types.cell));
    }
    r.h_next = s_.projection ? projected(r.hidden) : r.hidden;
}

// GRU and its kin: u, r, o; LBR multiplies r behind U_o.
void rnn_cell::gru_forward(cell_record &r) const {
    const bounded_row u = linear(r, 0, &r.h), reset = linear(r, 1, &r.h);
    bounded_row real_h, reset_h;
    for (std::size_t j = 0; j < u.size(); ++j) {
        r.gate[0].push_back(logistic(u[j]));
        r.gate[1].push_back(logistic(reset[j]));
        const bounded h = s_.types.quantized ? (r.h[j] - q_.shift) * (1 / q_.scale) : r.h[j];
        real_h.push_back(h);
        reset_h.push_back(r.gate[1][j] * h);
    }
    bounded_row candidate;
    if (s_.is_lbr()) {
        candidate = linear(r, 2, nullptr);
        for (dim o = 0; o < s_.DHC; ++o) {
            bounded_sum sum(vanishing_);
            for (dim i = 0; i < s_.SIC; ++i)
                sum.add(r.h[std::size_t(i)], weight(*t_.weights_iter, i, 2, o));
            r.linear.push_back(sum.in_f32() + bias(3, o));
            candidate[std::size_t(o)] =
                candidate[std::size_t(o)] + r.gate[1][std::size_t(o)] * r.linear.back();
        }
    } else {
        const bounded_row operand = state_in(reset_h);
        candidate = linear(r, 2, &operand);
    }
    for (std::size_t j = 0; j < u.size(); ++j) {
        const bounded o = tangent(candidate[j]);
        r.gate[2].push_back(o);
        bounded mix = r.gate[0][j];
        if (s_.has_attention()) mix = (bounded(1) - r.attention) * mix;
        r.h_next.push_back(mix * real_h[j] + (bounded(1) - mix) * o);
    }
}

void rnn_cell::forward(cell_record &r) const {
    if (s_.cell == cell_kind::lstm) return lstm_forward(r);
    if (s_.cell != cell_kind::vanilla) return gru_forward(r);
    for (const bounded &a : linear(r, 0, &r.h)) {
        const bounded h = activation_ == "TANH"       ? tangent(a)
                          : activation_ == "LOGISTIC" ? logistic(a)
                                                      : leaky(a, alpha_);
        r.slope.push_back(activation_ == "TANH"       ? (bounded(1) - h) * (bounded(1) + h)
                          : activation_ == "LOGISTIC" ? h * (bounded(1) - h)
                                                      : leaky_slope(a, alpha_));
        r.h_next.push_back(h);
    }
}

} // namespace conformance
