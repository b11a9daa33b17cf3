// SPDX-License-Identifier: Apache-2.0
// Builds the training network from forward and backward primitives.
#include "training_network.hpp"

#include <algorithm>
#include <cstring>

namespace int8_accuracy {

using dnnl::memory;
using dnnl::prop_kind;
using type = memory::data_type;

namespace {

memory zeros(const dnnl::engine &engine, const memory::desc &desc) {
    memory tensor(desc, engine);
    std::memset(tensor.get_data_handle(), 0, desc.get_size());
    return tensor;
}

std::vector<float> values_of(const memory &tensor, memory::dim count) {
    const auto *first = static_cast<const float *>(tensor.get_data_handle());
    return {first, first + count};
}

constexpr int class_axis = 1;

} // namespace

training_network::training_network(const dnnl::engine &engine, const parameters &start, int batch)
    : engine_(engine), stream_(engine), batch_(batch) {
    build_forward(start);
    build_backward();
    for (const layer_state &state : layers_)
        for (const memory &tensor : {state.weights, state.bias})
            velocity_.push_back(zeros(engine_, tensor.get_desc()));
}

void training_network::build_forward(const parameters &start) {
    images_ = memory(activation_desc(layers()[0].src_dims(batch_), type::f32), engine_);
    memory current = images_;
    for (int l = 0; l < layer_count; ++l) {
        const layer_shape &shape = layers()[l];
        layer_state &state = layers_[l];
        state.src = current;
        state.weights = filled_memory(
            engine_, plain_weights_desc(shape.weights_dims()), start.layer[l].weights);
        state.bias = filled_memory(engine_, vector_desc(shape.OC, type::f32), start.layer[l].bias);
        add_weighted(shape, state);
        if (shape.relu) add_relu(state);
        if (shape.convolution) add_pooling(shape, state);
        current = shape.convolution ? state.pooled : state.dst;
    }
    add_softmax();
}

void training_network::add_weighted(const layer_shape &shape, layer_state &state) {
    const memory::desc src = state.src.get_desc();
    const memory::desc weights = any_layout(shape.weights_dims(), type::f32);
    const memory::desc dst = activation_desc(shape.dst_dims(batch_), type::f32);
    const memory::desc bias = state.bias.get_desc();
    state.dst = memory(dst, engine_);
    program::arguments args {
        {DNNL_ARG_SRC, state.src}, {DNNL_ARG_BIAS, state.bias}, {DNNL_ARG_DST, state.dst}};
    if (shape.convolution) {
        const memory::dims strides {1, 1}, padding {shape.K / 2, shape.K / 2};
        auto &pd = state.convolution;
        pd = {engine_, prop_kind::forward_training, dnnl::algorithm::convolution_direct, src,
            weights, bias, dst, strides, padding, padding};
        args[DNNL_ARG_WEIGHTS] = forward_.in_layout(state.weights, pd.weights_desc());
        forward_.add(dnnl::convolution_forward(pd), args);
    } else {
        auto &pd = state.inner_product;
        pd = {engine_, prop_kind::forward_training, src, weights, bias, dst};
        args[DNNL_ARG_WEIGHTS] = forward_.in_layout(state.weights, pd.weights_desc());
        forward_.add(dnnl::inner_product_forward(pd), args);
    }
}

/// In place: the gradient of relu needs only its result.
void training_network::add_relu(layer_state &state) {
    const memory::desc desc = state.dst.get_desc();
    state.relu = {engine_, prop_kind::forward_training,
        dnnl::algorithm::eltwise_relu_use_dst_for_bwd, desc, desc, 0.f, 0.f};
    forward_.add(
        dnnl::eltwise_forward(state.relu), {{DNNL_ARG_SRC, state.dst}, {DNNL_ARG_DST, state.dst}});
}

void training_network::add_pooling(const layer_shape &shape, layer_state &state) {
    const memory::desc dst = activation_desc(shape.pooled_dims(batch_), type::f32);
    state.pooling = {engine_, prop_kind::forward_training, dnnl::algorithm::pooling_max,
        state.dst.get_desc(), dst, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0}};
    state.pooled = memory(dst, engine_);
    state.workspace = memory(state.pooling.workspace_desc(), engine_);
    forward_.add(dnnl::pooling_forward(state.pooling),
        {{DNNL_ARG_SRC, state.dst}, {DNNL_ARG_DST, state.pooled},
            {DNNL_ARG_WORKSPACE, state.workspace}});
}

void training_network::add_softmax() {
    const memory &logits = layers_.back().dst;
    log_probability_ = memory(logits.get_desc(), engine_);
    diff_log_probability_ = memory(logits.get_desc(), engine_);
    softmax_ = {engine_, prop_kind::forward_training, dnnl::algorithm::softmax_log,
        logits.get_desc(), logits.get_desc(), class_axis};
    forward_.add(dnnl::softmax_forward(softmax_),
        {{DNNL_ARG_SRC, logits}, {DNNL_ARG_DST, log_probability_}});
}

void training_network::build_backward() {
    add_softmax_backward();
    for (int l = layer_count - 1; l >= 0; --l) {
        const layer_shape &shape = layers()[l];
        layer_state &state = layers_[l];
        if (shape.relu) add_relu_backward(state);
        add_weights_backward(shape, state);
        if (l == 0) break;
        const memory diff_src = add_data_backward(shape, state);
        layer_state &below = layers_[l - 1];
        below.diff_dst =
            layers()[l - 1].convolution ? add_pooling_backward(below, diff_src) : diff_src;
    }
}

void training_network::add_softmax_backward() {
    layer_state &last = layers_.back();
    const memory::desc desc = last.dst.get_desc();
    last.diff_dst = memory(desc, engine_);
    const dnnl::softmax_backward::primitive_desc pd(
        engine_, dnnl::algorithm::softmax_log, desc, desc, desc, class_axis, softmax_);
    backward_.add(dnnl::softmax_backward(pd),
        {{DNNL_ARG_DST, log_probability_}, {DNNL_ARG_DIFF_DST, diff_log_probability_},
            {DNNL_ARG_DIFF_SRC, last.diff_dst}});
}

memory training_network::add_pooling_backward(layer_state &state, const memory &diff_pooled) {
    const memory::desc desc = state.dst.get_desc();
    memory diff_dst(desc, engine_);
    const dnnl::pooling_backward::primitive_desc pd(engine_, dnnl::algorithm::pooling_max, desc,
        diff_pooled.get_desc(), {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0}, state.pooling);
    backward_.add(dnnl::pooling_backward(pd),
        {{DNNL_ARG_DIFF_DST, diff_pooled}, {DNNL_ARG_DIFF_SRC, diff_dst},
            {DNNL_ARG_WORKSPACE, state.workspace}});
    return diff_dst;
}

void training_network::add_relu_backward(layer_state &state) {
    const memory::desc desc = state.dst.get_desc();
    const dnnl::eltwise_backward::primitive_desc pd(engine_,
        dnnl::algorithm::eltwise_relu_use_dst_for_bwd, desc, desc, desc, 0.f, 0.f, state.relu);
    backward_.add(
        dnnl::eltwise_backward(pd), {{DNNL_ARG_DST, state.dst}, {DNNL_ARG_DIFF_DST, state.diff_dst},
                                        {DNNL_ARG_DIFF_SRC, state.diff_dst}});
}

void training_network::add_weights_backward(const layer_shape &shape, layer_state &state) {
    const memory::desc any = any_layout(shape.weights_dims(), type::f32);
    const memory::desc src = state.src.get_desc(), diff_dst = state.diff_dst.get_desc();
    const memory::desc diff_bias = state.bias.get_desc();
    state.diff_weights = memory(state.weights.get_desc(), engine_);
    state.diff_bias = memory(diff_bias, engine_);
    const auto add = [&](const auto &primitive, const memory::desc &chosen) {
        const memory computed =
            chosen == state.weights.get_desc() ? state.diff_weights : memory(chosen, engine_);
        backward_.add(primitive,
            {{DNNL_ARG_SRC, state.src}, {DNNL_ARG_DIFF_DST, state.diff_dst},
                {DNNL_ARG_DIFF_WEIGHTS, computed}, {DNNL_ARG_DIFF_BIAS, state.diff_bias}});
        backward_.copy(computed, state.diff_weights);
    };
    if (shape.convolution) {
        const memory::dims strides {1, 1}, padding {shape.K / 2, shape.K / 2};
        const dnnl::convolution_backward_weights::primitive_desc pd(engine_,
            dnnl::algorithm::convolution_direct, src, any, diff_bias, diff_dst, strides, padding,
            padding, state.convolution);
        add(dnnl::convolution_backward_weights(pd), pd.diff_weights_desc());
    } else {
        const dnnl::inner_product_backward_weights::primitive_desc pd(
            engine_, src, any, diff_bias, diff_dst, state.inner_product);
        add(dnnl::inner_product_backward_weights(pd), pd.diff_weights_desc());
    }
}

memory training_network::add_data_backward(const layer_shape &shape, layer_state &state) {
    const memory::desc any = any_layout(shape.weights_dims(), type::f32);
    const memory::desc desc = state.src.get_desc(), diff_dst = state.diff_dst.get_desc();
    const memory diff_src(desc, engine_);
    const auto add = [&](const auto &primitive, const memory::desc &chosen) {
        const memory weights = backward_.in_layout(state.weights, chosen);
        backward_.add(primitive, {{DNNL_ARG_DIFF_DST, state.diff_dst}, {DNNL_ARG_WEIGHTS, weights},
                                     {DNNL_ARG_DIFF_SRC, diff_src}});
    };
    if (shape.convolution) {
        const memory::dims strides {1, 1}, padding {shape.K / 2, shape.K / 2};
        const dnnl::convolution_backward_data::primitive_desc pd(engine_,
            dnnl::algorithm::convolution_direct, desc, any, diff_dst, strides, padding, padding,
            state.convolution);
        add(dnnl::convolution_backward_data(pd), pd.weights_desc());
    } else {
        const dnnl::inner_product_backward_data::primitive_desc pd(
            engine_, desc, any, diff_dst, state.inner_product);
        add(dnnl::inner_product_backward_data(pd), pd.weights_desc());
    }
    return diff_src;
}

void training_network::set_update(float rate, float momentum, float decay) {
    update_ = program();
    // dst = a * first + b * second, written over first.
    const auto add_sum = [&](float a, const memory &first, float b, const memory &second) {
        const memory::desc desc = first.get_desc();
        const dnnl::sum::primitive_desc pd(engine_, desc, {a, b}, {desc, desc});
        update_.add(dnnl::sum(pd), {{DNNL_ARG_MULTIPLE_SRC, first},
                                       {DNNL_ARG_MULTIPLE_SRC + 1, second}, {DNNL_ARG_DST, first}});
    };
    for (int l = 0; l < layer_count; ++l) {
        const layer_state &state = layers_[l];
        const memory &weights_velocity = velocity_[2 * l], &bias_velocity = velocity_[2 * l + 1];
        add_sum(momentum, weights_velocity, 1, state.diff_weights);
        add_sum(1 - rate * decay, state.weights, -rate, weights_velocity);
        add_sum(momentum, bias_velocity, 1, state.diff_bias);
        add_sum(1, state.bias, -rate, bias_velocity);
    }
}

training_network::batch_result training_network::step(const std::uint8_t *labels) {
    forward_.run(stream_);
    const auto *log_p = static_cast<const float *>(log_probability_.get_data_handle());
    auto *gradient = static_cast<float *>(diff_log_probability_.get_data_handle());
    std::fill(gradient, gradient + batch_ * class_count, 0.f);
    batch_result result {0, 0};
    for (int i = 0; i < batch_; ++i) {
        const float *row = log_p + i * class_count;
        result.loss -= row[labels[i]];
        result.correct += std::max_element(row, row + class_count) == row + labels[i];
        gradient[i * class_count + labels[i]] = -1.f / static_cast<float>(batch_);
    }
    backward_.run(stream_);
    update_.run(stream_);
    return result;
}

parameters training_network::trained() const {
    parameters result;
    for (int l = 0; l < layer_count; ++l) {
        const layer_shape &shape = layers()[l];
        result.layer[l].weights = values_of(layers_[l].weights, shape.weights_count());
        result.layer[l].bias = values_of(layers_[l].bias, shape.OC);
    }
    return result;
}

} // namespace int8_accuracy
