// SPDX-License-Identifier: Apache-2.0
// Forward and backward pass of attention: four dimensions, batch x heads x length x channels of a
// head, over the rows of sequences as they lie in memory.
#include "training_network.hpp"

#include <cmath>

namespace int8_accuracy {

using dnnl::memory;
using type = memory::data_type;

namespace {

/// The view with the last two dimensions exchanged.
memory transposed(const memory &of) {
    const memory::desc desc = of.get_desc();
    memory::dims dims = desc.get_dims(), strides = desc.get_strides();
    std::swap(dims[2], dims[3]);
    std::swap(strides[2], strides[3]);
    return {{dims, desc.get_data_type(), strides}, of.get_engine(), of.get_data_handle()};
}

/// Adds dst = factor * a b.
void add_product(
    program &to, const memory &a, const memory &b, const memory &dst, float factor = 1) {
    dnnl::primitive_attr attr;
    if (factor != 1) {
        dnnl::post_ops ops;
        ops.append_eltwise(dnnl::algorithm::eltwise_linear, factor, 0.f);
        attr.set_post_ops(ops);
    }
    const dnnl::matmul::primitive_desc pd(
        a.get_engine(), a.get_desc(), b.get_desc(), dst.get_desc(), attr);
    to.add(dnnl::matmul(pd), {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, dst}});
}

constexpr int key_axis = 3;

} // namespace

void training_network::add_attention(int l) {
    const layer &of = net_.layers[l];
    layer_state &state = layers_[l];
    const memory::dim T = of.source.length, C = of.source.channels, D = C / of.heads;
    const memory::desc heads({batch_, of.heads, T, D}, number(), {C, D, batch_ * C, 1});
    const auto view = [=, this](const memory &rows) {
        return memory(heads, engine_, rows.get_data_handle());
    };
    const memory Q = view(source(l, 0)), K = view(source(l, 1)), V = view(source(l, 2));
    const memory::desc square({batch_, of.heads, T, T}, number(), memory::format_tag::abcd);
    const memory scores(square, engine_), P(square, engine_);
    const auto factor = float(1 / std::sqrt(double(D)));
    state.result = new_result(l);
    const memory result = state.result;
    const dnnl::softmax_forward::primitive_desc softmax(engine_, dnnl::prop_kind::forward_training,
        dnnl::algorithm::softmax_accurate, square, square, key_axis);
    add_product(forward_, Q, transposed(K), scores, factor);
    forward_.add(dnnl::softmax_forward(softmax), {{DNNL_ARG_SRC, scores}, {DNNL_ARG_DST, P}});
    add_product(forward_, P, V, view(result));
    state.add_backward = [=, this](layer_state &s) {
        const memory dP(square, engine_), dS(square, engine_);
        const memory::desc rows = desc_of(net_.layers[l].source, batch_, number());
        const memory dQ(rows, engine_), dK(rows, engine_), dV(rows, engine_);
        const memory dO = view(s.gradient);
        kept_.insert(kept_.end(), {s.gradient, dQ, dK, dV});
        add_product(backward_, transposed(P), dO, view(dV));
        add_product(backward_, dO, transposed(V), dP);
        const dnnl::softmax_backward::primitive_desc pd(
            engine_, dnnl::algorithm::softmax_accurate, square, square, square, key_axis, softmax);
        backward_.add(dnnl::softmax_backward(pd),
            {{DNNL_ARG_DST, P}, {DNNL_ARG_DIFF_DST, dP}, {DNNL_ARG_DIFF_SRC, dS}});
        add_product(backward_, dS, K, view(dQ), factor);
        add_product(backward_, transposed(dS), Q, view(dK), factor);
        const std::vector<int> &from = net_.layers[l].from;
        const memory parts[] = {dQ, dK, dV};
        for (int i = 0; i < 3; ++i)
            if (from[i] > 0) give_gradient(from[i], parts[i]);
    };
}

} // namespace int8_accuracy
