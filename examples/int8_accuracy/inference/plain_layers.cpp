// SPDX-License-Identifier: Apache-2.0
// Activations, pooling, addition, layer normalization and attention.
#include "plain_layers.hpp"

#include <cmath>
#include <stdexcept>

namespace int8_accuracy {

using dnnl::algorithm;
using dnnl::memory;
using type = memory::data_type;

namespace {

constexpr auto inference = dnnl::prop_kind::forward_inference;

void add_eltwise(stored_values &values, const memory &src, const memory &dst, layer_kind kind) {
    const algorithm how =
        kind == layer_kind::gelu ? algorithm::eltwise_gelu_erf : algorithm::eltwise_relu;
    const dnnl::eltwise_forward::primitive_desc pd(
        values.engine(), inference, how, src.get_desc(), dst.get_desc(), 0.f, 0.f);
    values.steps().add(dnnl::eltwise_forward(pd), {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
}

memory image(const stored_values &values, const memory &of, const object_shape &shape) {
    const memory::dims dims {values.batch(), shape.channels, shape.height, shape.width};
    return view(of, {dims, of.get_desc().get_data_type(), memory::format_tag::nhwc});
}

void add_pooling(stored_values &values, const layer &of, const memory &from, const memory &to) {
    const bool maximum = of.kind == layer_kind::maximum;
    const memory src = image(values, from, of.source), dst = image(values, to, of.result);
    const memory::dims kernel = maximum ? memory::dims {of.kernel, of.kernel}
                                        : memory::dims {of.source.height, of.source.width};
    const memory::dims strides = maximum ? memory::dims {of.stride, of.stride} : kernel;
    const dnnl::pooling_forward::primitive_desc pd(values.engine(), inference,
        maximum ? algorithm::pooling_max : algorithm::pooling_avg_include_padding, src.get_desc(),
        dst.get_desc(), strides, kernel, {0, 0}, {0, 0}, {0, 0});
    values.steps().add(dnnl::pooling_forward(pd), {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
}

void add_average(stored_values &values, const layer &of, const memory &from, const memory &to) {
    if (!of.source.sequence()) return add_pooling(values, of, from, to);
    const memory::dim length = of.source.length;
    const memory::dim others = memory::dim(values.batch()) * of.source.channels;
    const memory src = view(from, plain_desc({length, others}, from.get_desc().get_data_type()));
    const memory dst = view(to, plain_desc({1, others}, to.get_desc().get_data_type()));
    const dnnl::reduction::primitive_desc pd(
        values.engine(), algorithm::reduction_mean, src.get_desc(), dst.get_desc(), 0.f, 0.f);
    values.steps().add(dnnl::reduction(pd), {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
}

void add_sum(stored_values &values, const memory &a, const memory &b, const memory &dst) {
    const dnnl::binary::primitive_desc pd(
        values.engine(), algorithm::binary_add, a.get_desc(), b.get_desc(), dst.get_desc());
    values.steps().add(
        dnnl::binary(pd), {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, dst}});
}

void add_layer_normalization(stored_values &values, const layer &of,
    const layer_parameters &learned, const memory &from, const memory &to) {
    using flags = dnnl::normalization_flags;
    const memory::dim channels = of.result.channels;
    const memory::dim rows = memory::dim(values.batch()) * of.result.values() / channels;
    const memory::dims dims {rows, channels};
    const memory src = view(from, plain_desc(dims, from.get_desc().get_data_type()));
    const memory dst = view(to, plain_desc(dims, to.get_desc().get_data_type()));
    const dnnl::layer_normalization_forward::primitive_desc pd(values.engine(), inference,
        src.get_desc(), dst.get_desc(), normalization_epsilon, flags::use_scale | flags::use_shift);
    const memory::desc vector = vector_desc(channels, type::f32);
    values.steps().add(dnnl::layer_normalization_forward(pd),
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst},
            {DNNL_ARG_SCALE, filled_memory(values.engine(), vector, learned.weights)},
            {DNNL_ARG_SHIFT, filled_memory(values.engine(), vector, learned.bias)}});
}

/// Rows (position, object) with channels (head, c) seen as object x head x position x c.
memory heads_of(const stored_values &values, const layer &of, const memory &rows, bool transposed) {
    const memory::dim batch = values.batch(), heads = of.heads;
    const memory::dim length = of.result.length, C = of.result.channels, width = C / heads;
    memory::dims dims {batch, heads, length, width}, strides {C, width, batch * C, 1};
    if (transposed) {
        std::swap(dims[2], dims[3]);
        std::swap(strides[2], strides[3]);
    }
    return view(rows, {dims, rows.get_desc().get_data_type(), strides});
}

void add_product_of(stored_values &values, const memory &a, const memory &b, const memory &to,
    const dnnl::primitive_attr &attr = {}) {
    const dnnl::matmul::primitive_desc pd(
        values.engine(), a.get_desc(), b.get_desc(), to.get_desc(), attr);
    values.steps().add(
        dnnl::matmul(pd), {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, to}});
}

/// Scores are f32; probabilities have the type of queries, keys and values.
void add_attention(stored_values &values, const layer &of, const memory &queries,
    const memory &keys, const memory &values_in, const memory &to) {
    const memory::dim length = of.result.length;
    const memory::dims dims {values.batch(), of.heads, length, length};
    const memory scores(plain_desc(dims, type::f32), values.engine());
    const memory probabilities(plain_desc(dims, to.get_desc().get_data_type()), values.engine());
    dnnl::post_ops scaled;
    const float width = float(of.result.channels / of.heads);
    scaled.append_eltwise(algorithm::eltwise_linear, 1 / std::sqrt(width), 0.f);
    dnnl::primitive_attr attr;
    attr.set_post_ops(scaled);
    add_product_of(values, heads_of(values, of, queries, false), heads_of(values, of, keys, true),
        scores, attr);
    const dnnl::softmax_forward::primitive_desc pd(values.engine(), inference,
        algorithm::softmax_accurate, scores.get_desc(), probabilities.get_desc(), 3);
    values.steps().add(
        dnnl::softmax_forward(pd), {{DNNL_ARG_SRC, scores}, {DNNL_ARG_DST, probabilities}});
    add_product_of(values, probabilities, heads_of(values, of, values_in, false),
        heads_of(values, of, to, false));
}

} // namespace

void add_plain_layer(
    stored_values &values, int l, const layer_parameters &learned, const stored_form &form) {
    const layer &of = values.net().layers[l];
    stored_form read = form;
    if (!form.integer()) read.bits = 32;
    std::vector<memory> from;
    for (int source : of.from) from.push_back(values.in_form(source, read).data);
    const memory to = values.create(l, form).data;
    switch (of.kind) {
    case layer_kind::relu:
    case layer_kind::gelu: return add_eltwise(values, from[0], to, of.kind);
    case layer_kind::maximum: return add_pooling(values, of, from[0], to);
    case layer_kind::average: return add_average(values, of, from[0], to);
    case layer_kind::add: return add_sum(values, from[0], from[1], to);
    case layer_kind::layer_normalization:
        return add_layer_normalization(values, of, learned, from[0], to);
    case layer_kind::attention: return add_attention(values, of, from[0], from[1], from[2], to);
    default: throw std::invalid_argument("the layer '" + of.name + "' has no primitive");
    }
}

} // namespace int8_accuracy
