// SPDX-License-Identifier: Apache-2.0
// Layer shapes, first parameters, and the list of primitives.
#include "network.hpp"

#include "../random_source.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace int8_accuracy {

using examples::random_source;

using dnnl::memory;
using tag = memory::format_tag;
using type = memory::data_type;

memory::dims layer_shape::src_dims(memory::dim MB) const {
    if (IH == 1) return {MB, IC};
    return {MB, IC, IH, IW};
}

memory::dims layer_shape::weights_dims() const {
    if (convolution) return {OC, IC, K, K};
    if (IH == 1) return {OC, IC};
    return {OC, IC, IH, IW};
}

memory::dims layer_shape::dst_dims(memory::dim MB) const {
    if (convolution) return {MB, OC, IH, IW};
    return {MB, OC};
}

memory::dims layer_shape::pooled_dims(memory::dim MB) const { return {MB, OC, IH / 2, IW / 2}; }

memory::dim layer_shape::weights_count() const {
    return convolution ? OC * IC * K * K : OC * IC * IH * IW;
}

memory::dim layer_shape::multiplications() const {
    return convolution ? weights_count() * IH * IW : weights_count();
}

const std::array<layer_shape, layer_count> &layers() {
    static const std::array<layer_shape, layer_count> all {{
        {"conv1", true, true, 1, 28, 28, 32, 3},
        {"conv2", true, true, 32, 14, 14, 64, 3},
        {"ip1", false, true, 64, 7, 7, 128, 0},
        {"ip2", false, false, 128, 1, 1, class_count, 0},
    }};
    return all;
}

parameters random_parameters(std::uint64_t seed) {
    random_source random(seed);
    parameters start;
    for (int l = 0; l < layer_count; ++l) {
        const layer_shape &shape = layers()[l];
        const auto fan_in = static_cast<double>(shape.weights_count() / shape.OC);
        const double deviation = (shape.relu ? 1 : .1) * std::sqrt(2 / fan_in);
        start.layer[l].weights.resize(shape.weights_count());
        start.layer[l].bias.assign(shape.OC, 0.f);
        for (float &w : start.layer[l].weights) w = static_cast<float>(deviation * random.normal());
    }
    return start;
}

memory::desc activation_desc(const memory::dims &dims, type t) {
    return {dims, t, dims.size() == 4 ? tag::nhwc : tag::nc};
}

memory::desc plain_weights_desc(const memory::dims &dims) {
    return {dims, type::f32, dims.size() == 4 ? tag::oihw : tag::oi};
}

memory::desc any_layout(const memory::dims &dims, type t) { return {dims, t, tag::any}; }

memory::desc vector_desc(memory::dim count, type t) { return {{count}, t, tag::a}; }

memory filled_memory(
    const dnnl::engine &engine, const memory::desc &desc, const std::vector<float> &values) {
    memory filled(desc, engine);
    std::copy(values.begin(), values.end(), static_cast<float *>(filled.get_data_handle()));
    return filled;
}

memory scalar_memory(const dnnl::engine &engine, float value) {
    return filled_memory(engine, vector_desc(1, type::f32), {value});
}

memory scalar_memory(const dnnl::engine &engine, std::int32_t value) {
    memory scalar(vector_desc(1, type::s32), engine);
    *static_cast<std::int32_t *>(scalar.get_data_handle()) = value;
    return scalar;
}

void program::add(const dnnl::primitive &primitive, const arguments &args) {
    steps_.emplace_back([primitive, args](dnnl::stream &s) { primitive.execute(s, args); });
}

void program::add(std::function<void()> step) {
    steps_.emplace_back([step = std::move(step)](dnnl::stream &) { step(); });
}

memory program::in_layout(const memory &from, const memory::desc &wanted) {
    if (from.get_desc() == wanted) return from;
    memory to(wanted, from.get_engine());
    copy(from, to);
    return to;
}

void program::copy(const memory &from, const memory &to) {
    if (from == to) return;
    add(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

void program::run(dnnl::stream &stream) const {
    for (const auto &step : steps_) step(stream);
    stream.wait();
}

} // namespace int8_accuracy
