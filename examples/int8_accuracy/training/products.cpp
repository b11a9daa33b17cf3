// SPDX-License-Identifier: Apache-2.0
// Forward and backward passes of the layers that multiply by weights.
#include "training_network.hpp"

#include <cstring>

namespace int8_accuracy {

using dnnl::memory;
using dnnl::prop_kind;
using type = memory::data_type;

namespace {

using arguments = program::arguments;

/// Adds the gradients of weights and bias to the program; the one of the weights comes in the
/// layout `computed` and goes to the plain one.
void add_weights_gradient(program &to, const dnnl::primitive &primitive, const memory &src,
    const memory &diff_dst, const memory &computed, const memory &plain, const memory &diff_bias) {
    to.add(primitive, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_DST, diff_dst},
                          {DNNL_ARG_DIFF_WEIGHTS, computed}, {DNNL_ARG_DIFF_BIAS, diff_bias}});
    to.copy(computed, plain);
}

/// `plain` itself where the layouts are the same.
memory in_wanted_layout(const memory &plain, const memory::desc &wanted) {
    return plain.get_desc() == wanted ? plain : memory(wanted, plain.get_engine());
}

} // namespace

void training_network::add_convolution(int l) {
    const layer &of = net_.layers[l];
    layer_state &state = layers_[l];
    const auto algorithm = dnnl::algorithm::convolution_direct;
    const memory::dims strides {of.stride, of.stride}, padding {of.padding, of.padding};
    const memory src = image_view(source(l), of.source);
    state.result = new_result(l);
    const memory dst = image_view(state.result, of.result);
    const memory::desc weights = any_layout(weights_dims(of), number());
    const memory::desc bias = state.bias.master.get_desc();
    const dnnl::convolution_forward::primitive_desc forward(engine_, prop_kind::forward_training,
        algorithm, src.get_desc(), weights, bias, dst.get_desc(), strides, padding, padding);
    forward_.add(dnnl::convolution_forward(forward),
        {{DNNL_ARG_SRC, src},
            {DNNL_ARG_WEIGHTS, forward_.in_layout(state.weights.working, forward.weights_desc())},
            {DNNL_ARG_BIAS, state.bias.master}, {DNNL_ARG_DST, dst}});
    state.add_backward = [=, this](layer_state &s) {
        const memory diff_dst = image_view(s.gradient, net_.layers[l].result);
        const dnnl::convolution_backward_weights::primitive_desc pd(engine_, algorithm,
            src.get_desc(), any_layout(weights_dims(net_.layers[l]), type::f32), bias,
            diff_dst.get_desc(), strides, padding, padding, forward);
        add_weights_gradient(backward_, dnnl::convolution_backward_weights(pd), src, diff_dst,
            in_wanted_layout(s.weights.gradient, pd.diff_weights_desc()), s.weights.gradient,
            s.bias.gradient);
        const int from = net_.layers[l].from[0];
        if (from == 0) return;
        const memory diff_src(src.get_desc(), engine_);
        const dnnl::convolution_backward_data::primitive_desc data(engine_, algorithm,
            src.get_desc(), weights, diff_dst.get_desc(), strides, padding, padding, forward);
        backward_.add(dnnl::convolution_backward_data(data),
            {{DNNL_ARG_DIFF_DST, diff_dst},
                {DNNL_ARG_WEIGHTS, backward_.in_layout(s.weights.working, data.weights_desc())},
                {DNNL_ARG_DIFF_SRC, diff_src}});
        give_gradient(from, plain_view(diff_src, net_.layers[l].source));
    };
}

void training_network::add_dense(int l) {
    const layer &of = net_.layers[l];
    layer_state &state = layers_[l];
    const memory src = source(l);
    state.result = new_result(l);
    const memory::desc weights = any_layout(weights_dims(of), number());
    const memory::desc bias = state.bias.master.get_desc();
    const dnnl::inner_product_forward::primitive_desc forward(engine_, prop_kind::forward_training,
        src.get_desc(), weights, bias, state.result.get_desc());
    forward_.add(dnnl::inner_product_forward(forward),
        {{DNNL_ARG_SRC, src},
            {DNNL_ARG_WEIGHTS, forward_.in_layout(state.weights.working, forward.weights_desc())},
            {DNNL_ARG_BIAS, state.bias.master}, {DNNL_ARG_DST, state.result}});
    state.add_backward = [=, this](layer_state &s) {
        const memory diff_dst = backward_.in_layout(
            s.gradient, desc_of(net_.layers[l].result, batch_, number())); // logits are f32
        const dnnl::inner_product_backward_weights::primitive_desc pd(engine_, src.get_desc(),
            any_layout(weights_dims(net_.layers[l]), type::f32), bias, diff_dst.get_desc(),
            forward);
        add_weights_gradient(backward_, dnnl::inner_product_backward_weights(pd), src, diff_dst,
            in_wanted_layout(s.weights.gradient, pd.diff_weights_desc()), s.weights.gradient,
            s.bias.gradient);
        const int from = net_.layers[l].from[0];
        if (from == 0) return;
        const memory diff_src(src.get_desc(), engine_);
        const dnnl::inner_product_backward_data::primitive_desc data(
            engine_, src.get_desc(), weights, diff_dst.get_desc(), forward);
        backward_.add(dnnl::inner_product_backward_data(data),
            {{DNNL_ARG_DIFF_DST, diff_dst},
                {DNNL_ARG_WEIGHTS, backward_.in_layout(s.weights.working, data.weights_desc())},
                {DNNL_ARG_DIFF_SRC, diff_src}});
        give_gradient(from, diff_src);
    };
}

/// One layer from left to right that starts from zeros. The same bytes are rows for the layers
/// around it and length x batch x channels here. All gradients of the primitive are f32.
void training_network::add_lstm(int l) {
    const layer &of = net_.layers[l];
    layer_state &state = layers_[l];
    const auto direction = dnnl::rnn_direction::unidirectional_left2right;
    const auto cells = [this](const object_shape &shape, type t) {
        return memory::desc({shape.length, batch_, shape.channels}, t, memory::format_tag::tnc);
    };
    const auto as_cells = [&](const memory &rows, const object_shape &shape) {
        const type t = rows.get_desc().get_data_type();
        return memory(cells(shape, t), engine_, rows.get_data_handle());
    };
    const memory src_rows = source(l);
    const memory src = as_cells(src_rows, of.source);
    state.result = new_result(l);
    const memory dst = as_cells(state.result, of.result);
    const memory::desc none, src_desc = src.get_desc(), dst_desc = dst.get_desc();
    const memory::desc layer_any = any_layout(weights_dims(of), number());
    const memory::desc iter_any = any_layout(recurrent_dims(of), number());
    const memory::desc bias = state.bias.master.get_desc();
    const dnnl::lstm_forward::primitive_desc forward(engine_, prop_kind::forward_training,
        direction, src_desc, none, none, layer_any, iter_any, bias, dst_desc, none, none);
    const memory workspace(forward.workspace_desc(), engine_);
    forward_.add(dnnl::lstm_forward(forward),
        {{DNNL_ARG_SRC_LAYER, src},
            {DNNL_ARG_WEIGHTS_LAYER,
                forward_.in_layout(state.weights.working, forward.weights_layer_desc())},
            {DNNL_ARG_WEIGHTS_ITER,
                forward_.in_layout(state.recurrent.working, forward.weights_iter_desc())},
            {DNNL_ARG_BIAS, state.bias.master}, {DNNL_ARG_DST_LAYER, dst},
            {DNNL_ARG_WORKSPACE, workspace}});
    state.add_backward = [=, this](layer_state &s) {
        const layer &of = net_.layers[l];
        const memory diff_rows =
            backward_.in_layout(s.gradient, desc_of(of.result, batch_, type::f32));
        const memory diff_src_rows(desc_of(of.source, batch_, type::f32), engine_);
        kept_.insert(kept_.end(), {diff_rows, diff_src_rows});
        const memory diff_dst(cells(of.result, type::f32), engine_, diff_rows.get_data_handle());
        const memory diff_src(
            cells(of.source, type::f32), engine_, diff_src_rows.get_data_handle());
        const dnnl::lstm_backward::primitive_desc pd(engine_, prop_kind::backward, direction,
            src_desc, none, none, layer_any, iter_any, bias, dst_desc, none, none,
            diff_src.get_desc(), none, none, any_layout(weights_dims(of), type::f32),
            any_layout(recurrent_dims(of), type::f32), s.bias.gradient.get_desc(),
            diff_dst.get_desc(), none, none, forward);
        const memory layer_gradient =
            in_wanted_layout(s.weights.gradient, pd.diff_weights_layer_desc());
        const memory iter_gradient =
            in_wanted_layout(s.recurrent.gradient, pd.diff_weights_iter_desc());
        // The primitive adds to the gradients of parameters.
        for (const memory &sum : {layer_gradient, iter_gradient, s.bias.gradient})
            backward_.add(
                [sum] { std::memset(sum.get_data_handle(), 0, sum.get_desc().get_size()); });
        backward_.add(dnnl::lstm_backward(pd),
            {{DNNL_ARG_SRC_LAYER, src},
                {DNNL_ARG_WEIGHTS_LAYER,
                    backward_.in_layout(s.weights.working, pd.weights_layer_desc())},
                {DNNL_ARG_WEIGHTS_ITER,
                    backward_.in_layout(s.recurrent.working, pd.weights_iter_desc())},
                {DNNL_ARG_BIAS, s.bias.master}, {DNNL_ARG_DST_LAYER, dst},
                {DNNL_ARG_WORKSPACE, workspace}, {DNNL_ARG_DIFF_DST_LAYER, diff_dst},
                {DNNL_ARG_DIFF_SRC_LAYER, diff_src}, {DNNL_ARG_DIFF_WEIGHTS_LAYER, layer_gradient},
                {DNNL_ARG_DIFF_WEIGHTS_ITER, iter_gradient},
                {DNNL_ARG_DIFF_BIAS, s.bias.gradient}});
        backward_.copy(layer_gradient, s.weights.gradient);
        backward_.copy(iter_gradient, s.recurrent.gradient);
        if (of.from[0] > 0)
            give_gradient(of.from[0],
                backward_.in_layout(diff_src_rows, desc_of(of.source, batch_, number())));
    };
}

} // namespace int8_accuracy
