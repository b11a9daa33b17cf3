// SPDX-License-Identifier: Apache-2.0
// Forward and backward passes of the layers between the products, attention excepted.
#include "training_network.hpp"

namespace int8_accuracy {

using dnnl::memory;
using dnnl::prop_kind;
using type = memory::data_type;

namespace {

constexpr auto scale_and_shift =
    dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;

constexpr float kept_of_running = .9f; // of the running mean and variance in each step

void move_running(const memory &running, const memory &of_batch, int count) {
    auto *to = static_cast<float *>(running.get_data_handle());
    const auto *from = static_cast<const float *>(of_batch.get_data_handle());
    for (int i = 0; i < count; ++i)
        to[i] = kept_of_running * to[i] + (1 - kept_of_running) * from[i];
}

} // namespace

void training_network::add_normalization(int l) {
    const layer &of = net_.layers[l];
    layer_state &state = layers_[l];
    const memory src = source(l);
    state.result = new_result(l);
    const memory::desc desc = src.get_desc();
    const dnnl::batch_normalization_forward::primitive_desc forward(
        engine_, prop_kind::forward_training, desc, desc, normalization_epsilon, scale_and_shift);
    const memory mean(forward.mean_desc(), engine_), variance(forward.variance_desc(), engine_);
    forward_.add(dnnl::batch_normalization_forward(forward),
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_SCALE, state.weights.master},
            {DNNL_ARG_SHIFT, state.bias.master}, {DNNL_ARG_MEAN, mean},
            {DNNL_ARG_VARIANCE, variance}, {DNNL_ARG_DST, state.result}});
    forward_.add([=, running_mean = state.running_mean, running_variance = state.running_variance,
                     count = of.result.channels] {
        move_running(running_mean, mean, count);
        move_running(running_variance, variance, count);
    });
    state.add_backward = [=, this](layer_state &s) {
        const memory diff_src(desc, engine_);
        const dnnl::batch_normalization_backward::primitive_desc pd(engine_, prop_kind::backward,
            desc, s.gradient.get_desc(), desc, normalization_epsilon, scale_and_shift, forward);
        backward_.add(dnnl::batch_normalization_backward(pd),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_MEAN, mean}, {DNNL_ARG_VARIANCE, variance},
                {DNNL_ARG_SCALE, s.weights.master}, {DNNL_ARG_DIFF_DST, s.gradient},
                {DNNL_ARG_DIFF_SRC, diff_src}, {DNNL_ARG_DIFF_SCALE, s.weights.gradient},
                {DNNL_ARG_DIFF_SHIFT, s.bias.gradient}});
        give_gradient(net_.layers[l].from[0], diff_src);
    };
}

void training_network::add_layer_normalization(int l) {
    layer_state &state = layers_[l];
    const memory src = source(l);
    state.result = new_result(l);
    const memory::desc desc = src.get_desc();
    const dnnl::layer_normalization_forward::primitive_desc forward(
        engine_, prop_kind::forward_training, desc, desc, normalization_epsilon, scale_and_shift);
    const memory mean(forward.mean_desc(), engine_), variance(forward.variance_desc(), engine_);
    forward_.add(dnnl::layer_normalization_forward(forward),
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_SCALE, state.weights.master},
            {DNNL_ARG_SHIFT, state.bias.master}, {DNNL_ARG_MEAN, mean},
            {DNNL_ARG_VARIANCE, variance}, {DNNL_ARG_DST, state.result}});
    state.add_backward = [=, this](layer_state &s) {
        const memory diff_src(desc, engine_);
        const dnnl::layer_normalization_backward::primitive_desc pd(engine_, prop_kind::backward,
            desc, s.gradient.get_desc(), desc, normalization_epsilon, scale_and_shift, forward);
        backward_.add(dnnl::layer_normalization_backward(pd),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_MEAN, mean}, {DNNL_ARG_VARIANCE, variance},
                {DNNL_ARG_SCALE, s.weights.master}, {DNNL_ARG_DIFF_DST, s.gradient},
                {DNNL_ARG_DIFF_SRC, diff_src}, {DNNL_ARG_DIFF_SCALE, s.weights.gradient},
                {DNNL_ARG_DIFF_SHIFT, s.bias.gradient}});
        if (net_.layers[l].from[0] > 0) give_gradient(net_.layers[l].from[0], diff_src);
    };
}

/// The backward pass reads the layer's result, or what the layer reads.
void training_network::add_elementwise(int l, dnnl::algorithm algorithm, bool from_result) {
    layer_state &state = layers_[l];
    const memory src = source(l);
    state.result = new_result(l);
    const memory dst = state.result;
    const memory::desc desc = src.get_desc();
    const dnnl::eltwise_forward::primitive_desc forward(
        engine_, prop_kind::forward_training, algorithm, desc, desc, 0.f, 0.f);
    forward_.add(dnnl::eltwise_forward(forward), {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    state.add_backward = [=, this](layer_state &s) {
        if (net_.layers[l].from[0] == 0) return;
        const memory diff_src(desc, engine_);
        const dnnl::eltwise_backward::primitive_desc pd(
            engine_, algorithm, desc, desc, desc, 0.f, 0.f, forward);
        const int read = from_result ? DNNL_ARG_DST : DNNL_ARG_SRC;
        backward_.add(dnnl::eltwise_backward(pd),
            {{read, from_result ? dst : src}, {DNNL_ARG_DIFF_DST, s.gradient},
                {DNNL_ARG_DIFF_SRC, diff_src}});
        give_gradient(net_.layers[l].from[0], diff_src);
    };
}

/// Maxima over windows and averages over an image. An average over the positions of a sequence is
/// one over the height of an image with a channel for each channel of each object: the same bytes.
void training_network::add_pooling(int l) {
    const layer &of = net_.layers[l];
    layer_state &state = layers_[l];
    const bool maximum = of.kind == layer_kind::maximum;
    state.result = new_result(l);
    const memory::dims none {0, 0};
    memory src, dst;
    memory::dims kernel {of.kernel, of.kernel}, strides {of.stride, of.stride};
    if (of.source.sequence()) {
        const memory::dim columns = memory::dim(batch_) * of.source.channels;
        const auto view = [&](const memory &rows, memory::dim height) {
            return memory({{1, columns, height, 1}, number(), memory::format_tag::nhwc}, engine_,
                rows.get_data_handle());
        };
        src = view(source(l), of.source.length);
        dst = view(state.result, 1);
        kernel = strides = {of.source.length, 1};
    } else {
        src = image_view(source(l), of.source);
        dst = image_view(state.result, of.result);
        if (!maximum) kernel = strides = {of.source.height, of.source.width};
    }
    const auto algorithm =
        maximum ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_exclude_padding;
    const dnnl::pooling_forward::primitive_desc forward(engine_, prop_kind::forward_training,
        algorithm, src.get_desc(), dst.get_desc(), strides, kernel, none, none, none);
    program::arguments args {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    memory workspace;
    if (maximum) {
        workspace = memory(forward.workspace_desc(), engine_);
        args[DNNL_ARG_WORKSPACE] = workspace;
    }
    forward_.add(dnnl::pooling_forward(forward), args);
    state.add_backward = [=, this](layer_state &s) {
        const layer &of = net_.layers[l];
        if (of.from[0] == 0) return;
        const memory rows(desc_of(of.source, batch_, number()), engine_);
        const memory diff_src(src.get_desc(), engine_, rows.get_data_handle());
        const memory diff_dst(dst.get_desc(), engine_, s.gradient.get_data_handle());
        const dnnl::pooling_backward::primitive_desc pd(engine_, algorithm, diff_src.get_desc(),
            diff_dst.get_desc(), strides, kernel, none, none, none, forward);
        program::arguments args {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src}};
        if (maximum) args[DNNL_ARG_WORKSPACE] = workspace;
        backward_.add(dnnl::pooling_backward(pd), args);
        kept_.push_back(s.gradient);
        give_gradient(of.from[0], rows);
        kept_.push_back(rows);
    };
}

void training_network::add_addition(int l) {
    layer_state &state = layers_[l];
    state.result = new_result(l);
    const memory::desc desc = state.result.get_desc();
    const dnnl::binary::primitive_desc pd(engine_, dnnl::algorithm::binary_add, desc, desc, desc);
    forward_.add(dnnl::binary(pd), {{DNNL_ARG_SRC_0, source(l, 0)}, {DNNL_ARG_SRC_1, source(l, 1)},
                                       {DNNL_ARG_DST, state.result}});
    state.add_backward = [this, l](layer_state &s) {
        for (int from : net_.layers[l].from)
            if (from > 0) give_gradient(from, s.gradient);
    };
}

} // namespace int8_accuracy
