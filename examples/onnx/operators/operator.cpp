// SPDX-License-Identifier: Apache-2.0
#include "operator.hpp"

#include "tables.hpp"

#include <algorithm>

namespace dnnl_onnx {

op_context::op_context(const node &asked, std::int64_t opset,
    std::vector<const tensor_type *> inputs, std::vector<const tensor *> known)
    : asked(asked), opset(opset), inputs_(std::move(inputs)), known_(std::move(known)),
      outputs_(asked.outputs.size()) {}

const tensor_type &op_context::in(std::size_t input) const {
    if (!has(input)) fail("input " + std::to_string(input) + " is missing");
    return *inputs_[input];
}

const tensor &op_context::value(std::size_t input) const {
    in(input);
    if (!known_[input]) throw needs_value {input};
    return *known_[input];
}

bool op_context::wants(std::size_t output) const {
    return output < asked.outputs.size() && !asked.outputs[output].empty();
}

void op_context::output(std::size_t index, element_type type, extents dims) {
    for (std::int64_t extent : dims)
        if (extent < 0) fail("its result would have the extents " + text_of(dims));
    count_of(dims);
    if (index < outputs_.size()) outputs_[index] = {type, std::move(dims)};
}

namespace {

const attribute *find(const node &asked, const char *name) {
    const auto found = asked.attributes.find(name);
    return found == asked.attributes.end() ? nullptr : &found->second;
}

} // namespace

bool op_context::has_attribute(const char *name) const { return find(asked, name); }

std::int64_t op_context::integer(const char *name, std::int64_t otherwise) const {
    const attribute *found = find(asked, name);
    if (!found) return otherwise;
    if (!found->integer) fail(std::string("its attribute ") + name + " is no integer");
    return *found->integer;
}

float op_context::number(const char *name, float otherwise) const {
    const attribute *found = find(asked, name);
    if (!found) return otherwise;
    if (!found->number) fail(std::string("its attribute ") + name + " is no number");
    return *found->number;
}

std::string op_context::text(const char *name, const char *otherwise) const {
    const attribute *found = find(asked, name);
    if (!found) return otherwise;
    if (!found->text) fail(std::string("its attribute ") + name + " is no text");
    return *found->text;
}

std::vector<std::int64_t> op_context::integers(
    const char *name, std::vector<std::int64_t> otherwise) const {
    const attribute *found = find(asked, name);
    return found ? found->integers : otherwise;
}

std::vector<float> op_context::numbers(const char *name, std::vector<float> otherwise) const {
    const attribute *found = find(asked, name);
    return found ? found->numbers : otherwise;
}

const attribute &op_context::required(const char *name) const {
    const attribute *found = find(asked, name);
    if (!found) fail(std::string("its attribute ") + name + " is missing");
    if (!found->missing.empty()) fail(found->missing);
    return *found;
}

int op_context::axis_of(std::int64_t axis, int rank) const {
    if (axis < -rank || axis >= rank)
        fail("axis " + std::to_string(axis) + " of a tensor with " + std::to_string(rank) +
             " dimensions");
    return int(axis < 0 ? axis + rank : axis);
}

int op_context::axis(const char *name, std::int64_t otherwise, int rank) const {
    return axis_of(integer(name, otherwise), rank);
}

std::vector<std::int64_t> op_context::integers_at(
    const char *name, std::size_t input, std::vector<std::int64_t> otherwise) const {
    if (has(input)) return value(input).integers();
    return integers(name, std::move(otherwise));
}

void op_context::fail(const std::string &why) const { throw error(asked.text() + ": " + why); }

void op_context::not_there(const std::string &what) const {
    throw unsupported(asked.text() + ": " + what);
}

namespace {

const std::map<std::string, prepare_function> &operators() {
    static const auto all = [] {
        std::map<std::string, prepare_function> table;
        for (operator_table part : {shape_operators(), movement_operators(), indexing_operators(),
                 selection_operators(), function_operators(), arithmetic_operators(),
                 reduction_operators(), loss_operators(), product_operators(), einsum_operators(),
                 quantized_product_operators(), pooling_operators(), resize_operators(),
                 image_operators(), normalization_operators(), recurrent_operators(),
                 quantization_operators(), signal_operators()})
            for (const operator_entry &entry : part) table[entry.name] = entry.prepare;
        return table;
    }();
    return all;
}

} // namespace

prepare_function find_operator(const std::string &domain, const std::string &name) {
    if (!domain.empty() && domain != "ai.onnx") return nullptr;
    const auto found = operators().find(name);
    return found == operators().end() ? nullptr : found->second;
}

std::vector<std::string> operator_names() {
    std::vector<std::string> names;
    for (const auto &[name, prepare] : operators()) names.push_back(name);
    return names;
}

} // namespace dnnl_onnx
