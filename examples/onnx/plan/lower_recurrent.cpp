// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN. ONNX's weights are [directions, gates * hidden, inputs] with gates in an order
// of its own; the library's are [layers, directions, inputs, gates, hidden].
#include "lowering.hpp"

#include <algorithm>
#include <cstring>

namespace dnnl_onnx {

using dnnl::memory;

namespace {

/// One layer: what all kinds of cells have in common.
struct cell {
    lowering &to;
    const operation &op;
    op_context c;
    std::vector<int> gates; // gate g of the library is ONNX's gate gates[g]
    bool batch_first;
    std::int64_t directions, hidden, steps, batch, channels;
    dnnl::rnn_direction direction;

    cell(lowering &to, const operation &op, std::vector<int> order)
        : to(to), op(op), c(to.context(op)), gates(std::move(order)) {
        batch_first = c.integer("layout", 0) != 0;
        directions = c.dims(1)[0];
        hidden = c.dims(2)[2];
        steps = c.dims(0)[batch_first ? 1 : 0];
        batch = c.dims(0)[batch_first ? 0 : 1];
        channels = c.dims(0)[2];
        const std::string text = c.text("direction", "forward");
        direction = text == "forward"   ? dnnl::rnn_direction::unidirectional_left2right
                    : text == "reverse" ? dnnl::rnn_direction::unidirectional_right2left
                                        : dnnl::rnn_direction::bidirectional_concat;
        if ((text == "bidirectional") != (directions == 2) || directions > 2)
            c.fail("its direction is '" + text + "', and its weights have " +
                   std::to_string(directions) + " directions");
        check_forms();
    }

    bool has(int input) const { return int(op.in.size()) > input && op.in[input] >= 0; }
    bool wants(int output) const {
        return int(op.out.size()) > output && to.uses_of(op.out[output]) > 0;
    }
    std::int64_t gate_count() const { return std::int64_t(gates.size()); }

    void check_forms() const {
        if (c.has_attribute("clip")) c.not_there("there is no clipping of cells");
        if (!has(4)) return;
        if (!c.is_known(4)) c.not_there("the lengths of its sequences are no constant");
        for (std::int64_t length : c.value(4).integers())
            if (length != steps) c.not_there("its sequences have different lengths");
    }

    /// [directions, gates * hidden, n] as the library's [1, directions, n, gates, hidden], the
    /// gates in the library's order. n is 1 behind a bias.
    operand weights(int input, std::int64_t n, const memory::desc &wanted) {
        const memory::desc plain({1, directions, n, gate_count(), hidden}, memory::data_type::f32,
            {directions * gate_count() * hidden * n, gate_count() * hidden * n, 1, hidden * n, n});
        const tensor &constant = to.of(op.in[input]).constant;
        const auto order = gates;
        const std::int64_t block = hidden * n, count = directions;
        const auto put = [order, block, count](const float *from, float *at) {
            for (std::int64_t d = 0; d < count; ++d, from += std::int64_t(order.size()) * block)
                for (const int gate : order) at = std::copy_n(from + gate * block, block, at);
        };
        if (constant) {
            const tensor ordered = to.shared_constants().computed(
                "gates" + std::to_string(std::uintptr_t(constant.bytes())), [&] {
                    tensor made(constant.type());
                    put(constant.data<float>(), made.data<float>());
                    return made;
                });
            return to.constant(ordered, plain, wanted);
        }
        const operand ordered = to.scratch(plain);
        to.add_host(op,
            [put](views in, views out) { put(in[0].data<float>(), out[0].data<float>()); },
            {{to.dense(op.in[input]), to.type_of(op.in[input])}},
            {{ordered, to.type_of(op.in[input])}});
        return to.converted(ordered, wanted);
    }

    /// ONNX's bias is that of the inputs, then that of the state, [directions, 2 * gates * hidden].
    /// The library has their sum; a linear GRU keeps the state's of the last gate as a gate more.
    operand bias(bool linear_gru) {
        const std::int64_t count = gate_count() * hidden, all = count + (linear_gru ? hidden : 0);
        const tensor_type type {element_type::f32, {1, directions, all / hidden, hidden}};
        const auto order = gates;
        const std::int64_t h = hidden, both = directions;
        const auto put = [=](const float *from, float *at) {
            for (std::int64_t d = 0; d < both; ++d, from += 2 * count) {
                for (std::size_t g = 0; g < order.size(); ++g) {
                    const bool alone = linear_gru && g + 1 == order.size();
                    for (std::int64_t i = 0; i < h; ++i)
                        *at++ =
                            from[order[g] * h + i] + (alone ? 0 : from[count + order[g] * h + i]);
                }
                if (linear_gru) at = std::copy_n(from + count + order.back() * h, h, at);
            }
        };
        const memory::desc desc = plain_desc(type);
        if (!has(3)) return to.constant(tensor(type), desc, desc);
        const tensor &constant = to.of(op.in[3]).constant;
        if (constant) {
            const tensor made = to.shared_constants().computed(
                "bias" + std::to_string(std::uintptr_t(constant.bytes())), [&] {
                    tensor sum(type);
                    put(constant.data<float>(), sum.data<float>());
                    return sum;
                });
            return to.constant(made, desc, desc);
        }
        const operand made = to.scratch(desc);
        to.add_host(op,
            [put](views in, views out) { put(in[0].data<float>(), out[0].data<float>()); },
            {{to.dense(op.in[3]), to.type_of(op.in[3])}}, {{made, type}});
        return made;
    }

    /// The sequence as [steps, batch, channels].
    operand source() {
        operand there = to.dense(op.in[0]);
        const memory::desc wanted = plain_desc({steps, batch, channels}, memory::data_type::f32);
        if (batch_first)
            there.desc = memory::desc(
                {steps, batch, channels}, memory::data_type::f32, {channels, steps * channels, 1});
        return to.converted(there, wanted);
    }

    memory::desc state_desc() const {
        return plain_desc({1, directions, batch, hidden}, memory::data_type::f32);
    }

    /// An initial state, zeros where it is left out.
    operand state(int input) {
        if (!has(input)) return to.constant(tensor(state_type()), state_desc(), state_desc());
        operand there = to.dense(op.in[input]);
        there.desc = batch_first
                         ? memory::desc({1, directions, batch, hidden}, memory::data_type::f32,
                               {batch * directions * hidden, hidden, directions * hidden, 1})
                         : state_desc();
        return to.converted(there, state_desc());
    }
    tensor_type state_type() const { return {element_type::f32, {1, directions, batch, hidden}}; }

    memory::desc sequence_desc() const {
        return plain_desc({steps, batch, directions * hidden}, memory::data_type::f32);
    }

    /// The results of the library as ONNX's: [steps, directions, batch, hidden], or with the batch
    /// first [batch, steps, directions, hidden].
    void place_sequence(const operand &made) {
        const std::int64_t step = batch * directions * hidden, image = directions * hidden;
        operand view = made;
        view.desc = batch_first ? memory::desc({batch, steps, directions, hidden},
                                      memory::data_type::f32, {image, step, hidden, 1})
                                : memory::desc({steps, directions, batch, hidden},
                                      memory::data_type::f32, {step, hidden, image, 1});
        if (!op.out.empty()) to.place(op.out[0], view);
    }
    void place_state(int output, const operand &made) {
        if (int(op.out.size()) <= output) return;
        operand view = made;
        view.desc = batch_first ? memory::desc({batch, directions, hidden}, memory::data_type::f32,
                                      {hidden, batch * hidden, 1})
                                : plain_desc({directions, batch, hidden}, memory::data_type::f32);
        to.place(op.out[output], view);
    }
};

memory::desc any_weights(const cell &of, std::int64_t n) {
    return any_desc({1, of.directions, n, of.gate_count(), of.hidden}, memory::data_type::f32);
}

dnnl::primitive_attr plain_attributes() {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attr;
}

/// The activations that an attribute names must be these, for each direction.
void require_activations(const cell &of, const std::vector<std::string> &wanted) {
    if (!of.c.has_attribute("activations")) return;
    const std::vector<std::string> &texts = of.c.required("activations").texts;
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (texts[i] != wanted[i % wanted.size()])
            of.c.not_there("its activations are not " + wanted[0] + " and so on but " + texts[i]);
}

bool lstm(lowering &to, const operation &op) {
    if (to.type_of(op.in[0]).type != element_type::f32) return false;
    cell of(to, op, {0, 2, 3, 1}); // i, f, c, o from ONNX's i, o, f, c
    require_activations(of, {"Sigmoid", "Tanh", "Tanh"});
    if (of.c.integer("input_forget", 0)) of.c.not_there("its input and forget gates are coupled");
    const dnnl::primitive_attr attr = plain_attributes();
    const memory::desc peephole_desc =
        plain_desc({1, of.directions, 3, of.hidden}, memory::data_type::f32);
    const dnnl::lstm_forward::primitive_desc desc(to.engine(), dnnl::prop_kind::forward_inference,
        of.direction, plain_desc({of.steps, of.batch, of.channels}, memory::data_type::f32),
        of.state_desc(), of.state_desc(), any_weights(of, of.channels), any_weights(of, of.hidden),
        of.has(7) ? peephole_desc : memory::desc(), memory::desc(),
        plain_desc({1, of.directions, 4, of.hidden}, memory::data_type::f32), of.sequence_desc(),
        of.state_desc(), of.state_desc(), attr);
    const operand sequence = to.scratch(of.sequence_desc());
    const operand state = to.scratch(of.state_desc()), memory_state = to.scratch(of.state_desc());
    lowering::arguments args {{DNNL_ARG_SRC_LAYER, of.source()}, {DNNL_ARG_SRC_ITER, of.state(5)},
        {DNNL_ARG_SRC_ITER_C, of.state(6)},
        {DNNL_ARG_WEIGHTS_LAYER, of.weights(1, of.channels, desc.weights_layer_desc())},
        {DNNL_ARG_WEIGHTS_ITER, of.weights(2, of.hidden, desc.weights_iter_desc())},
        {DNNL_ARG_BIAS, of.bias(false)}, {DNNL_ARG_DST_LAYER, sequence}, {DNNL_ARG_DST_ITER, state},
        {DNNL_ARG_DST_ITER_C, memory_state}};
    if (of.has(7)) { // i, f, o from ONNX's i, o, f
        cell holes = of;
        holes.gates = {0, 2, 1};
        operand there = holes.weights(7, 1,
            memory::desc({1, of.directions, 1, 3, of.hidden}, memory::data_type::f32,
                {of.directions * 3 * of.hidden, 3 * of.hidden, 1, of.hidden, 1}));
        there.desc = peephole_desc;
        args.push_back({DNNL_ARG_WEIGHTS_PEEPHOLE, there});
    }
    to.add<dnnl::lstm_forward>(op, "lstm", desc, std::move(args), attr);
    of.place_sequence(sequence);
    of.place_state(1, state);
    of.place_state(2, memory_state);
    return true;
}

bool gru(lowering &to, const operation &op) {
    if (to.type_of(op.in[0]).type != element_type::f32) return false;
    cell of(to, op, {0, 1, 2}); // update, reset, candidate in both
    require_activations(of, {"Sigmoid", "Tanh"});
    const bool linear = of.c.integer("linear_before_reset", 0) != 0;
    const dnnl::primitive_attr attr = plain_attributes();
    const operand sequence = to.scratch(of.sequence_desc()), state = to.scratch(of.state_desc());
    const memory::desc source =
        plain_desc({of.steps, of.batch, of.channels}, memory::data_type::f32);
    const memory::desc bias =
        plain_desc({1, of.directions, linear ? 4 : 3, of.hidden}, memory::data_type::f32);
    const auto arguments = [&](const auto &desc) {
        return lowering::arguments {{DNNL_ARG_SRC_LAYER, of.source()},
            {DNNL_ARG_SRC_ITER, of.state(5)},
            {DNNL_ARG_WEIGHTS_LAYER, of.weights(1, of.channels, desc.weights_layer_desc())},
            {DNNL_ARG_WEIGHTS_ITER, of.weights(2, of.hidden, desc.weights_iter_desc())},
            {DNNL_ARG_BIAS, of.bias(linear)}, {DNNL_ARG_DST_LAYER, sequence},
            {DNNL_ARG_DST_ITER, state}};
    };
    if (linear) {
        const dnnl::lbr_gru_forward::primitive_desc desc(to.engine(),
            dnnl::prop_kind::forward_inference, of.direction, source, of.state_desc(),
            any_weights(of, of.channels), any_weights(of, of.hidden), bias, of.sequence_desc(),
            of.state_desc(), attr);
        to.add<dnnl::lbr_gru_forward>(op, "lbr_gru", desc, arguments(desc), attr);
    } else {
        const dnnl::gru_forward::primitive_desc desc(to.engine(),
            dnnl::prop_kind::forward_inference, of.direction, source, of.state_desc(),
            any_weights(of, of.channels), any_weights(of, of.hidden), bias, of.sequence_desc(),
            of.state_desc(), attr);
        to.add<dnnl::gru_forward>(op, "gru", desc, arguments(desc), attr);
    }
    of.place_sequence(sequence);
    of.place_state(1, state);
    return true;
}

bool rnn(lowering &to, const operation &op) {
    if (to.type_of(op.in[0]).type != element_type::f32) return false;
    cell of(to, op, {0});
    std::string activation = "Tanh";
    if (of.c.has_attribute("activations") && !of.c.required("activations").texts.empty())
        activation = of.c.required("activations").texts[0];
    require_activations(of, {activation});
    const dnnl::algorithm what = activation == "Tanh"   ? dnnl::algorithm::eltwise_tanh
                                 : activation == "Relu" ? dnnl::algorithm::eltwise_relu
                                                        : dnnl::algorithm::eltwise_logistic;
    if (what == dnnl::algorithm::eltwise_logistic && activation != "Sigmoid")
        of.c.not_there("its activation is " + activation);
    const dnnl::primitive_attr attr = plain_attributes();
    const dnnl::vanilla_rnn_forward::primitive_desc desc(to.engine(),
        dnnl::prop_kind::forward_inference, what, of.direction,
        plain_desc({of.steps, of.batch, of.channels}, memory::data_type::f32), of.state_desc(),
        any_weights(of, of.channels), any_weights(of, of.hidden),
        plain_desc({1, of.directions, 1, of.hidden}, memory::data_type::f32), of.sequence_desc(),
        of.state_desc(), attr);
    const operand sequence = to.scratch(of.sequence_desc()), state = to.scratch(of.state_desc());
    to.add<dnnl::vanilla_rnn_forward>(op, "rnn", desc,
        {{DNNL_ARG_SRC_LAYER, of.source()}, {DNNL_ARG_SRC_ITER, of.state(5)},
            {DNNL_ARG_WEIGHTS_LAYER, of.weights(1, of.channels, desc.weights_layer_desc())},
            {DNNL_ARG_WEIGHTS_ITER, of.weights(2, of.hidden, desc.weights_iter_desc())},
            {DNNL_ARG_BIAS, of.bias(false)}, {DNNL_ARG_DST_LAYER, sequence},
            {DNNL_ARG_DST_ITER, state}},
        attr);
    of.place_sequence(sequence);
    of.place_state(1, state);
    return true;
}

} // namespace

std::span<const lower_entry> lower_recurrent() {
    static const lower_entry table[] = {
        {"GRU", gru},
        {"LSTM", lstm},
        {"RNN", rnn},
    };
    return table;
}

} // namespace dnnl_onnx
