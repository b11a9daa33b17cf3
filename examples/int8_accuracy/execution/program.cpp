// SPDX-License-Identifier: Apache-2.0
// Memory objects with given numbers, and the list of primitives.
#include "program.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace int8_accuracy {

using dnnl::memory;
using tag = memory::format_tag;
using type = memory::data_type;

memory::desc any_layout(const memory::dims &dims, type t) { return {dims, t, tag::any}; }

memory::desc plain_desc(const memory::dims &dims, type t) {
    memory::dims strides(dims.size(), 1);
    for (std::size_t d = dims.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * dims[d];
    return {dims, t, strides};
}

memory::desc vector_desc(memory::dim count, type t) { return {{count}, t, tag::a}; }

memory filled_memory(
    const dnnl::engine &engine, const memory::desc &desc, const std::vector<float> &values) {
    memory filled(desc, engine);
    std::copy(values.begin(), values.end(), static_cast<float *>(filled.get_data_handle()));
    return filled;
}

memory zero_memory(const dnnl::engine &engine, const memory::desc &desc) {
    memory tensor(desc, engine);
    std::memset(tensor.get_data_handle(), 0, desc.get_size());
    return tensor;
}

memory scalar_memory(const dnnl::engine &engine, float value) {
    return filled_memory(engine, vector_desc(1, type::f32), {value});
}

memory scalar_memory(const dnnl::engine &engine, std::int32_t value) {
    memory scalar(vector_desc(1, type::s32), engine);
    *static_cast<std::int32_t *>(scalar.get_data_handle()) = value;
    return scalar;
}

std::vector<float> values_of(const memory &from) {
    const auto *first = static_cast<const float *>(from.get_data_handle());
    return {first, first + from.get_desc().get_size() / sizeof(float)};
}

void program::add(const dnnl::primitive &primitive, const arguments &args) {
    steps_.emplace_back([primitive, args](dnnl::stream &s) { primitive.execute(s, args); });
}

void program::add(std::function<void()> step) {
    steps_.emplace_back([step = std::move(step)](dnnl::stream &s) {
        s.wait();
        step();
    });
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
