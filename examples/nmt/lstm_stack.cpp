// SPDX-License-Identifier: Apache-2.0
// Layers of LSTM, step by step.
#include "lstm_stack.hpp"

#include <cstring>

#include <dnnl_ext.hpp>

namespace nmt {

namespace {

constexpr memory::dim gates = 4;
const auto to_right = dnnl::rnn_direction::unidirectional_left2right;

/// The buffer of `of`, seen through another descriptor.
memory seen(const engine &cpu, const memory &of, const memory::desc &md) {
    return {md, cpu, of.get_data_handle()};
}

} // namespace

stack_weights::stack_weights(const engine &cpu, number kind, first_layer first, memory::dim hidden,
    const std::vector<lstm_weights> &layers, memory::dim most_rows)
    : cpu(cpu), kind(kind), first(first), hidden(hidden), layer(layers.size()), iter(layers.size()),
      attributes(layers.size()) {
    const memory::desc plain({1, 1, hidden, gates, hidden}, dt::f32, tag::ldigo),
        bias_md({1, 1, gates, hidden}, dt::f32, tag::ldgo);
    for (std::size_t l = 0; l < layers.size(); ++l) {
        std::vector<float> of_layer = layers[l].layer, of_iter = layers[l].iter;
        if (kind == number::int8) {
            std::vector<float> scales =
                scales_of_columns({&of_layer, &of_iter}, std::size_t(gates * hidden));
            of_layer = rounded(of_layer, scales);
            of_iter = rounded(of_iter, scales);
            for (float &scale : scales) scale = 1 / scale;
            constexpr int gates_and_channels = 1 << 3 | 1 << 4; // of ldigo
            attributes[l].set_rnn_data_qparams(state_factor, state_zero);
            attributes[l].set_rnn_weights_qparams(gates_and_channels, scales);
        }
        const auto pd = step(l, most_rows);
        if (l > 0 || first == first_layer::embeddings)
            layer[l] = packed(cpu, of_layer, plain, pd.weights_layer_desc());
        iter[l] = packed(cpu, of_iter, plain, pd.weights_iter_desc());
        bias.push_back(packed(cpu, layers[l].bias, bias_md, bias_md));
    }
}

dnnl::lstm_forward::primitive_desc stack_weights::step(std::size_t l, memory::dim rows) const {
    const dt type = state_type(kind);
    const bool sums = l == 0 && first == first_layer::gate_sums;
    const memory::desc open({1, 1, hidden, gates, hidden}, weight_type(kind), tag::any),
        states({1, 1, rows, hidden}, type, tag::ldnc),
        cells({1, 1, rows, hidden}, dt::f32, tag::ldnc), out({1, rows, hidden}, type, tag::tnc),
        bias_md({1, 1, gates, hidden}, dt::f32, tag::ldgo),
        x({1, rows, sums ? gates * hidden : hidden}, sums ? dt::f32 : type, tag::tnc);
    const memory::desc of_layer = layer[l] ? layer[l].get_desc() : open,
                       of_iter = iter[l] ? iter[l].get_desc() : open;
    if (sums)
        return dnnl::ext::lstm_of_gate_sums(
            cpu, to_right, x, states, cells, of_iter, bias_md, out, states, cells, attributes[l]);
    return {cpu, dnnl::prop_kind::forward_inference, to_right, x, states, cells, of_layer, of_iter,
        bias_md, out, states, cells, attributes[l]};
}

lstm_stack::lstm_stack(const stack_weights &weights, memory::dim most_rows, bool in_place)
    : weights_(weights) {
    for (std::size_t l = 0; l < weights.iter.size(); ++l) {
        const auto pd = weights.step(l, most_rows);
        const auto made = [&](const memory::desc &md) { return memory(md, weights.cpu); };
        if (l == 0) input_ = made(pd.src_layer_desc());
        layer_states of;
        of.h_before = made(pd.src_iter_desc());
        of.c_before = made(pd.src_iter_c_desc());
        of.h_behind = in_place ? of.h_before : made(pd.dst_iter_desc());
        of.c_behind = in_place ? of.c_before : made(pd.dst_iter_c_desc());
        of.out = made(pd.dst_layer_desc());
        layers_.push_back(of);
    }
}

void lstm_stack::clear() {
    for (const layer_states &of : layers_) {
        clear_states(of.h_before);
        clear_states(of.c_before);
    }
}

lstm_stack::prepared_step lstm_stack::prepare(memory::dim rows) const {
    prepared_step of;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const auto pd = weights_.step(l, rows);
        const auto over = [&](const memory &m, const memory::desc &md) {
            return seen(weights_.cpu, m, md);
        };
        const layer_states &states = layers_[l];
        of.args.push_back(
            {{DNNL_ARG_SRC_LAYER, over(l ? layers_[l - 1].out : input_, pd.src_layer_desc())},
                {DNNL_ARG_SRC_ITER, over(states.h_before, pd.src_iter_desc())},
                {DNNL_ARG_SRC_ITER_C, over(states.c_before, pd.src_iter_c_desc())},
                {DNNL_ARG_WEIGHTS_ITER, weights_.iter[l]}, {DNNL_ARG_BIAS, weights_.bias[l]},
                {DNNL_ARG_DST_LAYER, over(states.out, pd.dst_layer_desc())},
                {DNNL_ARG_DST_ITER, over(states.h_behind, pd.dst_iter_desc())},
                {DNNL_ARG_DST_ITER_C, over(states.c_behind, pd.dst_iter_c_desc())}});
        if (weights_.layer[l]) of.args.back()[DNNL_ARG_WEIGHTS_LAYER] = weights_.layer[l];
        of.cells.emplace_back(pd);
    }
    return of;
}

void lstm_stack::step(stream &s, memory::dim rows) {
    auto found = of_rows_.find(rows);
    if (found == of_rows_.end()) found = of_rows_.emplace(rows, prepare(rows)).first;
    for (std::size_t l = 0; l < layers_.size(); ++l)
        found->second.cells[l].execute(s, found->second.args[l]);
}

void lstm_stack::follow(const std::vector<int> &parents) {
    const auto copy = [&](const memory &from, const memory &to) {
        const std::size_t row =
            from.get_desc().get_size() / std::size_t(from.get_desc().get_dims()[2]);
        for (std::size_t r = 0; r < parents.size(); ++r)
            std::memcpy(static_cast<char *>(to.get_data_handle()) + r * row,
                static_cast<const char *>(from.get_data_handle()) + std::size_t(parents[r]) * row,
                row);
    };
    for (const layer_states &of : layers_) {
        copy(of.h_behind, of.h_before);
        copy(of.c_behind, of.c_before);
    }
}

} // namespace nmt
