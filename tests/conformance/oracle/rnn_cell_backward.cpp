// SPDX-License-Identifier: Apache-2.0
// Cells backward: the chain rule on the formulas of the specification.
#include "oracle/rnn_cell.hpp"

namespace conformance {
namespace {

const bounded one(1);

// Gradients in front of a gate's function; the type of the weights may hold them.
bounded through_logistic(const bounded &d, const bounded &gate) {
    return d * (gate * (one - gate));
}
bounded through_tangent(const bounded &d, const bounded &gate) {
    return d * ((one - gate) * (one + gate));
}

} // namespace

bounded_row rnn_cell::as_operand(const bounded_row &x) const {
    bounded_row result;
    for (const bounded &element : x) result.push_back(held(element, s_.types.weights));
    return result;
}

void rnn_cell::through_layer(dim gate, const bounded_row &da, const cell_record &r, gradients &g,
    parameter_gradients &sums) const {
    const bounded_row operand = as_operand(da);
    for (dim i = 0; i < s_.SLC; ++i) {
        bounded_sum dx(vanishing_);
        for (dim o = 0; o < s_.DHC; ++o) {
            dx.add(operand[std::size_t(o)], weight(*t_.weights_layer, i, gate, o));
            sums.layer[std::size_t((i * s_.G + gate) * s_.DHC + o)].add(
                r.x[std::size_t(i)], operand[std::size_t(o)]);
        }
        g.x[std::size_t(i)] = g.x[std::size_t(i)] + dx.in_f32();
    }
}

void rnn_cell::through_iter(dim gate, const bounded_row &da, const bounded_row &state,
    bounded_row &d_state, parameter_gradients &sums) const {
    const bounded_row operand = as_operand(da), h = as_operand(state);
    for (dim i = 0; i < s_.SIC; ++i) {
        bounded_sum dh(vanishing_);
        for (dim o = 0; o < s_.DHC; ++o) {
            dh.add(operand[std::size_t(o)], weight(*t_.weights_iter, i, gate, o));
            sums.iter[std::size_t((i * s_.G + gate) * s_.DHC + o)].add(
                h[std::size_t(i)], operand[std::size_t(o)]);
        }
        d_state[std::size_t(i)] = d_state[std::size_t(i)] + dh.in_f32();
    }
}

void rnn_cell::through_bias(dim gate, const bounded_row &da, parameter_gradients &sums) const {
    for (std::size_t o = 0; o < da.size(); ++o)
        sums.bias[std::size_t(gate * s_.DHC) + o].add(held(da[o], s_.types.weights), 1);
}

// The gradient of h' in front of the projection.
bounded_row rnn_cell::diff_hidden(
    const cell_record &r, const gradients &g, parameter_gradients &sums) const {
    if (!s_.projection) return g.h;
    bounded_row result;
    for (dim i = 0; i < s_.DHC; ++i) {
        bounded_sum dh(vanishing_);
        const bounded hidden = held(r.hidden[std::size_t(i)], s_.types.weights);
        for (dim o = 0; o < s_.DIC; ++o) {
            const bounded d = held(g.h[std::size_t(o)], s_.types.weights);
            dh.add(d, projection(i, o));
            sums.projection[std::size_t(i * s_.DIC + o)].add(hidden, d);
        }
        result.push_back(dh.in_f32());
    }
    return result;
}

void rnn_cell::lstm_backward(const cell_record &r, gradients &g, parameter_gradients &sums) const {
    const bounded_row dh = diff_hidden(r, g, sums);
    bounded_row da[4], dc_previous;
    for (dim j = 0; j < s_.DHC; ++j) {
        const std::size_t at = std::size_t(j);
        const bounded i = held(r.gate[0][at], s_.types.weights);
        const bounded f = held(r.gate[1][at], s_.types.weights);
        const bounded c_tilde = held(r.gate[2][at], s_.types.weights);
        const bounded o = held(r.gate[3][at], s_.types.weights);
        const bounded tanh_c = tangent(r.c_next[at]);
        const bounded da_o = through_logistic(dh[at] * tanh_c, o);
        bounded dc = g.c[at] + dh[at] * o * ((one - tanh_c) * (one + tanh_c));
        if (s_.peephole) dc = dc + da_o * peephole(2, j);
        const bounded da_i = through_logistic(dc * c_tilde, i);
        const bounded da_f = through_logistic(dc * r.c[at], f);
        bounded previous = dc * f;
        if (s_.peephole) {
            previous = previous + da_i * peephole(0, j) + da_f * peephole(1, j);
            sums.peephole[at].add(da_i, r.c[at]);
            sums.peephole[std::size_t(s_.DHC + j)].add(da_f, r.c[at]);
            sums.peephole[std::size_t(2 * s_.DHC + j)].add(da_o, r.c_next[at]);
        }
        const bounded all[4] = {da_i, da_f, through_tangent(dc * i, c_tilde), da_o};
        for (int gate = 0; gate < 4; ++gate) da[gate].push_back(all[gate]);
        dc_previous.push_back(previous);
    }
    g.c = dc_previous;
    g.h.assign(std::size_t(s_.SIC), 0);
    for (dim gate = 0; gate < 4; ++gate) {
        through_layer(gate, da[gate], r, g, sums);
        through_iter(gate, da[gate], r.h, g.h, sums);
        through_bias(gate, da[gate], sums);
    }
}

void rnn_cell::gru_backward(const cell_record &r, gradients &g, parameter_gradients &sums) const {
    const std::size_t width = r.h_next.size();
    bounded_row da_u, da_r, da_o, ds, d_reset(width, 0), dh(width, 0), reset_h;
    for (std::size_t j = 0; j < width; ++j) {
        const bounded u = held(r.gate[0][j], s_.types.weights);
        const bounded o = held(r.gate[2][j], s_.types.weights);
        const bounded share = s_.has_attention() ? (one - r.attention) : one;
        const bounded mix = s_.has_attention() ? share * u : u;
        const bounded d_mix = g.h[j] * (r.h[j] - o);
        if (s_.has_attention()) g.attention = g.attention - d_mix * u;
        da_u.push_back(through_logistic(s_.has_attention() ? d_mix * share : d_mix, u));
        da_o.push_back(through_tangent(g.h[j] * (one - mix), o));
        dh[j] = g.h[j] * mix;
        reset_h.push_back(r.gate[1][j] * r.h[j]);
    }
    if (s_.is_lbr()) {
        for (std::size_t j = 0; j < width; ++j) {
            const bounded reset = held(r.gate[1][j], s_.types.weights);
            da_r.push_back(through_logistic(da_o[j] * r.linear[j], reset));
            ds.push_back(da_o[j] * reset);
        }
        through_iter(2, ds, r.h, dh, sums);
        through_bias(3, ds, sums);
    } else {
        through_iter(2, da_o, reset_h, d_reset, sums);
        for (std::size_t j = 0; j < width; ++j) {
            const bounded reset = held(r.gate[1][j], s_.types.weights);
            da_r.push_back(through_logistic(d_reset[j] * r.h[j], reset));
            dh[j] = dh[j] + d_reset[j] * reset;
        }
    }
    const bounded_row *const da[3] = {&da_u, &da_r, &da_o};
    for (dim gate = 0; gate < 3; ++gate) {
        through_layer(gate, *da[gate], r, g, sums);
        through_bias(gate, *da[gate], sums);
        if (gate < 2) through_iter(gate, *da[gate], r.h, dh, sums);
    }
    g.h = dh;
}

void rnn_cell::backward(const cell_record &r, gradients &g, parameter_gradients &sums) const {
    g.x.assign(std::size_t(s_.SLC), 0);
    g.attention = 0;
    if (s_.cell == cell_kind::lstm) return lstm_backward(r, g, sums);
    if (s_.cell != cell_kind::vanilla) return gru_backward(r, g, sums);
    bounded_row da;
    for (std::size_t j = 0; j < r.slope.size(); ++j)
        da.push_back(g.h[j] * held(r.slope[j], s_.types.weights));
    g.h.assign(std::size_t(s_.SIC), 0);
    through_layer(0, da, r, g, sums);
    through_iter(0, da, r.h, g.h, sums);
    through_bias(0, da, sums);
}

} // namespace conformance
