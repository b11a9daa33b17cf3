// SPDX-License-Identifier: Apache-2.0
// Unrolling: cells are evaluated layer by layer, each direction in its own order of steps, and
// visited backwards for the gradients.
#include "oracle/rnn_oracle.hpp"

namespace conformance {
namespace {

using records = std::vector<cell_record>; // index (l, d, t), t as the direction counts

class unrolled {
  public:
    unrolled(const rnn_setting &setting, const tensor_map &in, const tensor *states);
    /// Evaluates one row of the minibatch.
    records forward(dim n) const;
    void store_outputs(dim n, const records &r, expectation_map &out) const;
    void backward(dim n, const records &r, std::vector<parameter_gradients> &sums,
        expectation_map &out) const;
    void store_parameters(const std::vector<parameter_gradients> &sums, expectation_map &out) const;

  private:
    const tensor *find(int argument) const {
        const auto found = in_.find(argument);
        return found == in_.end() ? nullptr : &found->second;
    }
    std::size_t index(dim l, dim d, dim t) const { return std::size_t((l * s_.D + d) * s_.T + t); }
    bounded_row row(int argument, std::size_t first, dim width) const;
    std::size_t state_index(dim l, dim d, dim n, dim width) const {
        return std::size_t(((l * s_.D + d) * s_.N + n) * width);
    }
    bounded_row initial_state(dim l, dim d, dim n) const;
    bounded_row between_cells(const bounded_row &h) const;
    bounded real_of(const bounded &state) const;
    bounded_row own_state(dim d, std::size_t step) const;
    bounded output_of(const cell_record &r, std::size_t j, data_type type) const;
    rnn_cell cell(dim l, dim d) const { return {setting_, tensors_, l, d}; }
    bounded_row gradient_of_output(dim n, dim d, dim step) const;
    void store(expectation_map &out, int argument, const dims &shape, std::size_t first,
        const bounded_row &values) const;

    const rnn_setting &setting_;
    const rnn_shape &s_;
    const tensor_map &in_;
    const tensor *const states_;
    rnn_tensors tensors_;
};

unrolled::unrolled(const rnn_setting &setting, const tensor_map &in, const tensor *states)
    : setting_(setting), s_(setting.shape), in_(in), states_(states) {
    tensors_.weights_layer = find(DNNL_ARG_WEIGHTS_LAYER);
    tensors_.weights_iter = find(DNNL_ARG_WEIGHTS_ITER);
    tensors_.bias = find(DNNL_ARG_BIAS);
    tensors_.peephole = find(DNNL_ARG_WEIGHTS_PEEPHOLE);
    tensors_.projection = find(DNNL_ARG_WEIGHTS_PROJECTION);
}

bounded_row unrolled::row(int argument, std::size_t first, dim width) const {
    bounded_row result(std::size_t(width), 0);
    const tensor *const from = find(argument);
    for (std::size_t i = 0; from && i < result.size(); ++i) result[i] = from->values[first + i];
    return result;
}

// The given state as cells take it: quantized if it comes as f32 into an int8 problem.
bounded_row unrolled::initial_state(dim l, dim d, dim n) const {
    bounded_row h = row(DNNL_ARG_SRC_ITER, state_index(l, d, n, s_.SIC), s_.SIC);
    const auto &q = setting_.quantization;
    if (s_.types.quantized && !is_integer(s_.types.src_iter))
        for (bounded &x : h) x = quantized_to(x, s_.types.state(), q.scale, q.shift);
    return h;
}

bounded_row unrolled::between_cells(const bounded_row &h) const {
    bounded_row result;
    const auto &q = setting_.quantization;
    for (const bounded &x : h)
        result.push_back(s_.types.quantized ? quantized_to(x, s_.types.state(), q.scale, q.shift)
                                            : held(x, s_.types.state()));
    return result;
}

bounded unrolled::real_of(const bounded &state) const {
    const auto &q = setting_.quantization;
    return s_.types.quantized ? (state - q.shift) * (1 / q.scale) : state;
}

// Element j of a state as an output of `type` holds it, before the last rounding.
bounded unrolled::output_of(const cell_record &r, std::size_t j, data_type type) const {
    if (!s_.types.quantized) // the sum is of two states, each of the states' type
        return s_.sum ? held(r.h_next[j], s_.types.state()) : r.h_next[j];
    return is_integer(type) ? r.state[j] : real_of(r.state[j]);
}

// The state that the library handed on to the next step of the last layer.
bounded_row unrolled::own_state(dim d, std::size_t step) const {
    bounded_row h;
    const auto &q = setting_.quantization;
    const std::size_t first = step * std::size_t(s_.DLC) + std::size_t(s_.concat ? d * s_.DIC : 0);
    for (std::size_t j = 0; j < std::size_t(s_.DIC); ++j) {
        const double x = states_->values[first + j];
        const bool real = s_.types.quantized && !is_integer(s_.types.dst_layer);
        h.push_back(real ? round_to(s_.types.state(), x * q.scale + q.shift) : x);
    }
    return h;
}

records unrolled::forward(dim n) const {
    records r(std::size_t(s_.L * s_.D * s_.T));
    for (dim l = 0; l < s_.L; ++l)
        for (dim d = 0; d < s_.D; ++d) {
            const rnn_cell at = cell(l, d);
            bounded_row h = initial_state(l, d, n);
            bounded_row c = row(DNNL_ARG_SRC_ITER_C, state_index(l, d, n, s_.DHC), s_.DHC);
            for (dim t = 0; t < s_.T; ++t) {
                const std::size_t step = std::size_t(s_.step(d, t) * s_.N + n);
                cell_record &now = r[index(l, d, t)];
                now.x = l == 0 ? row(DNNL_ARG_SRC_LAYER, step * std::size_t(s_.SLC), s_.SLC)
                               : r[index(l - 1, d, t)].state;
                now.h = h;
                now.c = c;
                if (s_.has_attention()) now.attention = row(DNNL_ARG_AUGRU_ATTENTION, step, 1)[0];
                at.forward(now);
                now.state = between_cells(now.h_next);
                h = states_ && l == s_.L - 1 ? own_state(d, step) : now.state;
                c = now.c_next;
            }
        }
    return r;
}

void unrolled::store(expectation_map &out, int argument, const dims &shape, std::size_t first,
    const bounded_row &values) const {
    auto &to = out[argument];
    to.resize(std::size_t(product(shape)));
    for (std::size_t i = 0; i < values.size(); ++i) to[first + i] = interval_of(values[i]);
}

void unrolled::store_outputs(dim n, const records &r, expectation_map &out) const {
    const dim last = s_.L - 1;
    const auto &q = setting_.quantization;
    for (dim t = 0; t < s_.T; ++t)
        for (dim d = 0; d < (s_.sum ? 1 : s_.D); ++d) {
            // Directions meet at the same step, which each of them counts in its own way.
            const dim step = s_.step(d, t);
            bounded_row h;
            for (std::size_t j = 0; j < std::size_t(s_.DIC); ++j) {
                bounded x = output_of(r[index(last, d, t)], j, s_.types.dst_layer);
                if (s_.sum) {
                    x = x + output_of(r[index(last, 1, s_.T - 1 - t)], j, s_.types.dst_layer);
                    if (is_integer(s_.types.dst_layer)) x = x - q.shift;
                }
                h.push_back(x);
            }
            const std::size_t first = std::size_t((step * s_.N + n) * s_.DLC + d * s_.DIC);
            store(out, DNNL_ARG_DST_LAYER, {s_.T, s_.N, s_.DLC}, first, h);
        }
    for (dim l = 0; l < s_.L; ++l)
        for (dim d = 0; d < s_.D; ++d) {
            cell_record start; // without steps the states are handed on
            start.state = start.h_next = initial_state(l, d, n);
            start.c_next = row(DNNL_ARG_SRC_ITER_C, state_index(l, d, n, s_.DHC), s_.DHC);
            const cell_record &end = s_.T > 0 ? r[index(l, d, s_.T - 1)] : start;
            bounded_row h;
            for (std::size_t j = 0; j < end.h_next.size(); ++j)
                h.push_back(output_of(end, j, s_.types.dst_iter));
            store(out, DNNL_ARG_DST_ITER, s_.state(), state_index(l, d, n, s_.DIC), h);
            if (s_.has_cell_state())
                store(out, DNNL_ARG_DST_ITER_C, s_.cell_state(), state_index(l, d, n, s_.DHC),
                    end.c_next);
        }
}

bounded_row unrolled::gradient_of_output(dim n, dim d, dim step) const {
    const dim offset = s_.concat ? d * s_.DIC : 0;
    return row(DNNL_ARG_DIFF_DST_LAYER, std::size_t((step * s_.N + n) * s_.DLC + offset), s_.DIC);
}

void unrolled::backward(
    dim n, const records &r, std::vector<parameter_gradients> &sums, expectation_map &out) const {
    std::vector<bounded_row> dx(std::size_t(s_.T), bounded_row(std::size_t(s_.SLC), 0));
    for (dim d = 0; d < s_.D; ++d) {
        std::vector<bounded_row> from_above(std::size_t(s_.T));
        for (dim t = 0; t < s_.T; ++t)
            from_above[std::size_t(t)] = gradient_of_output(n, d, s_.step(d, t));
        for (dim l = s_.L - 1; l >= 0; --l) {
            const rnn_cell at = cell(l, d);
            rnn_cell::gradients g;
            g.h = row(DNNL_ARG_DIFF_DST_ITER, state_index(l, d, n, s_.DIC), s_.DIC);
            g.c = row(DNNL_ARG_DIFF_DST_ITER_C, state_index(l, d, n, s_.DHC), s_.DHC);
            for (dim t = s_.T - 1; t >= 0; --t) {
                for (std::size_t j = 0; j < g.h.size(); ++j)
                    g.h[j] = g.h[j] + from_above[std::size_t(t)][j];
                at.backward(r[index(l, d, t)], g, sums[std::size_t(l * s_.D + d)]);
                from_above[std::size_t(t)] = g.x;
                if (s_.has_attention())
                    store(out, DNNL_ARG_DIFF_AUGRU_ATTENTION, {s_.T, s_.N, 1},
                        std::size_t(s_.step(d, t) * s_.N + n), {g.attention});
            }
            store(out, DNNL_ARG_DIFF_SRC_ITER, {s_.L, s_.D, s_.N, s_.SIC},
                state_index(l, d, n, s_.SIC), g.h);
            if (s_.has_cell_state())
                store(out, DNNL_ARG_DIFF_SRC_ITER_C, s_.cell_state(), state_index(l, d, n, s_.DHC),
                    g.c);
        }
        for (dim t = 0; t < s_.T; ++t) {
            bounded_row &to = dx[std::size_t(s_.step(d, t))];
            for (std::size_t i = 0; i < to.size(); ++i)
                to[i] = to[i] + from_above[std::size_t(t)][i];
        }
    }
    for (dim step = 0; step < s_.T; ++step)
        store(out, DNNL_ARG_DIFF_SRC_LAYER, {s_.T, s_.N, s_.SLC},
            std::size_t((step * s_.N + n) * s_.SLC), dx[std::size_t(step)]);
}

void unrolled::store_parameters(
    const std::vector<parameter_gradients> &all, expectation_map &out) const {
    const auto put = [&](int argument, const std::vector<bounded_sum> parameter_gradients::*part) {
        const tensor *const before = find(argument);
        auto &to = out[argument];
        for (const parameter_gradients &sums : all)
            for (const bounded_sum &sum : sums.*part) {
                bounded value = sum.in_f32();
                if (!setting_.overwrite) value = value + before->values[to.size()];
                to.push_back(interval_of(value));
            }
    };
    put(DNNL_ARG_DIFF_WEIGHTS_LAYER, &parameter_gradients::layer);
    put(DNNL_ARG_DIFF_WEIGHTS_ITER, &parameter_gradients::iter);
    put(DNNL_ARG_DIFF_BIAS, &parameter_gradients::bias);
    if (s_.peephole) put(DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, &parameter_gradients::peephole);
    if (s_.projection) put(DNNL_ARG_DIFF_WEIGHTS_PROJECTION, &parameter_gradients::projection);
}

} // namespace

expectation_map rnn_results(
    const rnn_setting &setting, const tensor_map &in, const tensor *states) {
    const rnn_shape &s = setting.shape;
    const unrolled network(setting, in, states);
    expectation_map out;
    std::vector<parameter_gradients> sums(
        s.forward ? 0 : std::size_t(s.L * s.D), parameter_gradients(s, setting.vanishing));
    for (dim n = 0; n < s.N; ++n) {
        const records r = network.forward(n);
        if (s.forward)
            network.store_outputs(n, r, out);
        else
            network.backward(n, r, sums, out);
    }
    if (!s.forward) network.store_parameters(sums, out);
    return out;
}

} // namespace conformance
