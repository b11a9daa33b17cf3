// SPDX-License-Identifier: Apache-2.0
// Builds the passes from the layers, computes the loss and updates the parameters.
#include "training_network.hpp"

#include <algorithm>
#include <cstring>

namespace int8_accuracy {

using dnnl::memory;
using type = memory::data_type;

namespace {

constexpr int class_axis = 1;

std::size_t count_of(const memory &tensor) { return tensor.get_desc().get_size() / sizeof(float); }

float *floats(const memory &tensor) { return static_cast<float *>(tensor.get_data_handle()); }

} // namespace

training_network::training_network(const dnnl::engine &engine, const network &net,
    const parameters &start, int batch, arithmetic numbers, const optimizer_settings &update,
    training_hooks hooks)
    : engine_(engine), stream_(engine), net_(net), batch_(batch), numbers_(numbers),
      hooks_(std::move(hooks)), input_(desc_of(net.input(), batch, type::f32), engine),
      layers_(net.layers.size()), optimizer_(update) {
    layers_[0].result = forward_.in_layout(input_, desc_of(net.input(), batch, number()));
    add_rounding(0);
    for (int l = 1; l < int(layers_.size()); ++l) {
        add_parameters(l, start[l]);
        add_forward(l);
        add_rounding(l);
    }
    add_loss();
    for (int l = int(layers_.size()) - 1; l > 0; --l) {
        layers_[l].add_backward(layers_[l]);
        add_gradients_hook(l);
    }
    for (layer_state &state : layers_)
        for (parameter_state *p : {&state.weights, &state.recurrent, &state.bias})
            if (p->master) updated_.push_back(p);
}

type training_network::number() const {
    return numbers_ == arithmetic::f32 ? type::f32 : type::bf16;
}

/// Of the number of this network; logits are f32, so that the loss is exact.
memory training_network::new_result(int l) const {
    const bool last = l + 1 == int(layers_.size());
    return {desc_of(net_.layers[l].result, batch_, last ? type::f32 : number()), engine_};
}

const memory &training_network::source(int l, int which) const {
    return layers_[net_.layers[l].from[which]].result;
}

void training_network::give_gradient(int l, const memory &part) {
    layer_state &state = layers_[l];
    if (!state.gradient) {
        state.gradient = part;
        return;
    }
    // A new memory object, because another layer may read the first part as its own gradient.
    const memory::desc desc = state.gradient.get_desc();
    const memory sum(desc, engine_);
    const dnnl::sum::primitive_desc pd(engine_, desc, {1.f, 1.f}, {desc, part.get_desc()});
    backward_.add(dnnl::sum(pd), {{DNNL_ARG_MULTIPLE_SRC, state.gradient},
                                     {DNNL_ARG_MULTIPLE_SRC + 1, part}, {DNNL_ARG_DST, sum}});
    state.gradient = sum;
}

training_network::parameter_state training_network::make_parameter(
    const std::vector<float> &values, const memory::dims &dims, bool rounded) {
    parameter_state state;
    state.master = filled_memory(engine_, plain_desc(dims, type::f32), values);
    state.gradient = zero_memory(engine_, plain_desc(dims, type::f32));
    state.working = state.master;
    if (rounded) state.working = forward_.in_layout(state.master, plain_desc(dims, number()));
    return state;
}

memory training_network::image_view(const memory &of, const object_shape &shape) const {
    const memory::dims dims {batch_, shape.channels, shape.height, shape.width};
    return {{dims, of.get_desc().get_data_type(), memory::format_tag::nhwc}, engine_,
        of.get_data_handle()};
}

memory training_network::plain_view(const memory &of, const object_shape &shape) {
    kept_.push_back(of);
    return {desc_of(shape, batch_, of.get_desc().get_data_type()), engine_, of.get_data_handle()};
}

void training_network::add_parameters(int l, const layer_parameters &start) {
    const layer &of = net_.layers[l];
    if (!has_parameters(of.kind)) return;
    layer_state &state = layers_[l];
    const bool product = multiplies(of.kind);
    const memory::dim OC = of.result.channels;
    state.weights = make_parameter(start.weights, weights_dims(of), product);
    if (of.kind == layer_kind::lstm)
        state.recurrent = make_parameter(start.recurrent, recurrent_dims(of), true);
    const memory::dims bias =
        of.kind == layer_kind::lstm ? memory::dims {1, 1, 4, OC} : memory::dims {OC};
    state.bias = make_parameter(start.bias, bias, false);
    if (of.kind == layer_kind::normalization) {
        state.running_mean = filled_memory(engine_, vector_desc(OC, type::f32), start.mean);
        state.running_variance = filled_memory(engine_, vector_desc(OC, type::f32), start.variance);
    }
    if (!product || !hooks_.weights) return;
    for (parameter_state *p : {&state.weights, &state.recurrent}) {
        if (!p->master) continue;
        p->working = memory(p->master.get_desc(), engine_);
        forward_.add([this, l, from = p->master, to = p->working] {
            std::copy_n(floats(from), count_of(from), floats(to));
            hooks_.weights(l, floats(to), count_of(to));
        });
    }
}

void training_network::add_rounding(int l) {
    if (!hooks_.result) return;
    forward_.add([this, l, result = layers_[l].result] {
        hooks_.result(l, floats(result), count_of(result));
    });
}

void training_network::add_gradients_hook(int l) {
    layer_state &state = layers_[l];
    if (!hooks_.gradients || !state.weights.gradient) return;
    std::vector<std::span<float>> all;
    for (const parameter_state *p : {&state.weights, &state.recurrent, &state.bias})
        if (p->gradient) all.emplace_back(floats(p->gradient), count_of(p->gradient));
    backward_.add([this, l, all] { hooks_.gradients(l, all); });
}

void training_network::add_forward(int l) {
    using dnnl::algorithm;
    switch (net_.layers[l].kind) {
    case layer_kind::convolution: return add_convolution(l);
    case layer_kind::dense: return add_dense(l);
    case layer_kind::lstm: return add_lstm(l);
    case layer_kind::normalization: return add_normalization(l);
    case layer_kind::layer_normalization: return add_layer_normalization(l);
    case layer_kind::relu: return add_elementwise(l, algorithm::eltwise_relu_use_dst_for_bwd, true);
    case layer_kind::gelu: return add_elementwise(l, algorithm::eltwise_gelu_erf, false);
    case layer_kind::add: return add_addition(l);
    case layer_kind::attention: return add_attention(l);
    default: return add_pooling(l);
    }
}

void training_network::add_loss() {
    layer_state &last = layers_.back();
    const memory::desc desc = last.result.get_desc();
    log_probability_ = memory(desc, engine_);
    diff_log_probability_ = memory(desc, engine_);
    last.gradient = memory(desc, engine_);
    const dnnl::softmax_forward::primitive_desc forward(engine_, dnnl::prop_kind::forward_training,
        dnnl::algorithm::softmax_log, desc, desc, class_axis);
    forward_.add(dnnl::softmax_forward(forward),
        {{DNNL_ARG_SRC, last.result}, {DNNL_ARG_DST, log_probability_}});
    const dnnl::softmax_backward::primitive_desc backward(
        engine_, dnnl::algorithm::softmax_log, desc, desc, desc, class_axis, forward);
    backward_.add(dnnl::softmax_backward(backward),
        {{DNNL_ARG_DST, log_probability_}, {DNNL_ARG_DIFF_DST, diff_log_probability_},
            {DNNL_ARG_DIFF_SRC, last.gradient}});
}

training_network::batch_result training_network::read_loss(
    const std::vector<std::uint8_t> &labels) {
    const int classes = net_.classes();
    batch_result result;
    result.rows = batch_ * net_.labels();
    const float *row = floats(log_probability_);
    float *gradient = floats(diff_log_probability_);
    std::fill_n(gradient, std::size_t(result.rows) * classes, 0.f);
    for (int i = 0; i < result.rows; ++i, row += classes, gradient += classes) {
        result.loss -= row[labels[i]];
        result.right += std::max_element(row, row + classes) == row + labels[i];
        gradient[labels[i]] = -1.f / float(result.rows);
    }
    return result;
}

training_network::batch_result training_network::compute_gradients(
    const std::vector<std::uint8_t> &labels) {
    forward_.run(stream_);
    const batch_result result = read_loss(labels);
    backward_.run(stream_);
    return result;
}

training_network::batch_result training_network::step(
    const std::vector<std::uint8_t> &labels, float rate) {
    const batch_result result = compute_gradients(labels);
    update(rate);
    return result;
}

void training_network::update(float rate) {
    std::vector<optimizer::tensor> tensors;
    for (const parameter_state *p : updated_)
        tensors.push_back({floats(p->master), floats(p->gradient), count_of(p->master),
            p->master.get_desc().get_ndims() > 1});
    optimizer_.step(tensors, rate);
    if (numbers_ != arithmetic::bf16_alone) return;
    // What bf16 does not hold is lost.
    for (parameter_state *p : updated_) {
        memory narrow(plain_desc(p->master.get_desc().get_dims(), type::bf16), engine_);
        dnnl::reorder(p->master, narrow).execute(stream_, p->master, narrow);
        dnnl::reorder(narrow, p->master).execute(stream_, narrow, p->master);
    }
    stream_.wait();
}

parameters training_network::gradients() const {
    parameters all(layers_.size());
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const layer_state &state = layers_[l];
        if (state.weights.gradient) all[l].weights = values_of(state.weights.gradient);
        if (state.recurrent.gradient) all[l].recurrent = values_of(state.recurrent.gradient);
        if (state.bias.gradient) all[l].bias = values_of(state.bias.gradient);
    }
    return all;
}

parameters training_network::trained() const {
    parameters all(layers_.size());
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const layer_state &state = layers_[l];
        if (state.weights.master) all[l].weights = values_of(state.weights.master);
        if (state.recurrent.master) all[l].recurrent = values_of(state.recurrent.master);
        if (state.bias.master) all[l].bias = values_of(state.bias.master);
        if (!state.running_mean) continue;
        all[l].mean = values_of(state.running_mean);
        all[l].variance = values_of(state.running_variance);
    }
    return all;
}

void training_network::resume(const parameters &from, const optimizer_state &moments) {
    const auto put = [](const std::vector<float> &values, const memory &to) {
        if (to) std::copy_n(values.data(), count_of(to), floats(to));
    };
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const layer_state &state = layers_[l];
        put(from[l].weights, state.weights.master);
        put(from[l].recurrent, state.recurrent.master);
        put(from[l].bias, state.bias.master);
        put(from[l].mean, state.running_mean);
        put(from[l].variance, state.running_variance);
    }
    optimizer_.resume(moments);
}

} // namespace int8_accuracy
