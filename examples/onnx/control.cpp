// SPDX-License-Identifier: Apache-2.0
// Nodes that run between two pieces of a graph: loops, and operators whose results have extents
// that follow from the values of their inputs.
#include "model/order.hpp"
#include "operators/loops.hpp"
#include "segment.hpp"

#include <algorithm>
#include <cstring>

namespace dnnl_onnx {

namespace {

/// The parts one behind the other under a new dimension in front, or along `axis`.
tensor stacked(const std::vector<tensor> &parts, int axis, const tensor_type &otherwise) {
    if (parts.empty()) return tensor(otherwise);
    tensor_type type = parts[0].type();
    const axis_view view = around(type.dims, axis); // the new dimension stands before `axis`
    type.dims.insert(type.dims.begin() + axis, std::int64_t(parts.size()));
    tensor to(type);
    const std::size_t block = std::size_t(view.extent * view.inner) * size_of(type.type);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (parts[p].type() != parts[0].type())
            throw error("a loop gives results of extents " + text_of(parts[0].dims()) + " and " +
                        text_of(parts[p].dims()) + ", which cannot be put together");
        for (std::int64_t o = 0; o < view.outer; ++o)
            std::memcpy(to.bytes() + (std::size_t(o) * parts.size() + p) * block,
                parts[p].bytes() + std::size_t(o) * block, block);
    }
    return to;
}

tensor part_at(const tensor &whole, int axis, std::int64_t index) {
    const axis_view view = around(whole.dims(), axis);
    tensor_type type = whole.type();
    type.dims.erase(type.dims.begin() + axis);
    tensor to(type);
    const std::size_t block = std::size_t(view.inner) * size_of(type.type);
    for (std::int64_t o = 0; o < view.outer; ++o)
        std::memcpy(to.bytes() + std::size_t(o) * block,
            whole.bytes() + std::size_t(o * view.extent + index) * block, block);
    return to;
}

} // namespace

/// What a body takes from around it: the values that never change, or the others.
named_tensors graph_runner::captured(
    const segment &before, const values &tensors, const graph &body, bool permanent) const {
    const program &p = before.state.made;
    const scope &where = *before.state.rest.front().where;
    named_tensors found;
    for (const std::string &name : captured_names(body)) {
        const int id = where.find(name);
        if (id < 0) throw error("the body takes '" + name + "', which is not there");
        const value &v = p.values[id];
        if ((v.constant && v.permanent) == permanent)
            found[name] = v.constant ? v.constant : tensors.at(id);
    }
    return found;
}

graph_runner &graph_runner::body_of(const segment &before, const char *attribute) {
    const node &n = *before.state.rest.front().next;
    const auto found = n.attributes.find(attribute);
    if (found == n.attributes.end() || !found->second.body)
        throw error(n.text() + ": its attribute " + attribute + " is missing");
    const graph &body = *found->second.body;
    std::unique_ptr<graph_runner> &runner = bodies_[&body];
    if (!runner)
        runner = std::make_unique<graph_runner>(
            body, opset_, constants_, options_, captured(before, {}, body, true));
    return *runner;
}

std::vector<tensor> graph_runner::run_loop(const segment &before, const values &tensors) {
    const pending &next = before.state.rest.front();
    const node &n = *next.next;
    graph_runner &runner = body_of(before, "body");
    const graph &body = runner.graph_;
    const auto input = [&](std::size_t i) {
        const int id =
            i < n.inputs.size() && !n.inputs[i].empty() ? next.where->find(n.inputs[i]) : -1;
        if (id < 0) return tensor();
        const tensor &constant = before.state.made.values[id].constant;
        return constant ? constant : tensors.at(id);
    };
    const tensor most = input(0);
    tensor condition = input(1);
    std::vector<tensor> carried;
    for (std::size_t i = 2; i < n.inputs.size(); ++i) carried.push_back(input(i));
    if (body.inputs.size() != 2 + carried.size() || body.outputs.size() < 1 + carried.size())
        throw error(n.text() + ": its body has " + std::to_string(body.inputs.size()) +
                    " inputs and " + std::to_string(body.outputs.size()) + " outputs");
    std::vector<std::vector<tensor>> collected(body.outputs.size() - 1 - carried.size());
    named_tensors given = captured(before, tensors, body, false);
    const std::int64_t trips = most ? most.integers().at(0) : std::int64_t(1) << 62;
    for (std::int64_t trip = 0; trip < trips; ++trip) {
        if (condition && !condition.integers().at(0)) break;
        given[body.inputs[0].name] = scalar_tensor(element_type::s64, double(trip));
        given[body.inputs[1].name] =
            condition ? condition : scalar_tensor(element_type::boolean, 1);
        for (std::size_t i = 0; i < carried.size(); ++i)
            given[body.inputs[2 + i].name] = carried[i];
        const std::vector<tensor> results = runner.run(given);
        condition = results[0];
        for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = results[1 + i];
        for (std::size_t i = 0; i < collected.size(); ++i)
            collected[i].push_back(results[1 + carried.size() + i]);
    }
    std::vector<tensor> outputs = carried;
    for (std::size_t i = 0; i < collected.size(); ++i) {
        tensor_type none = body.outputs[1 + carried.size() + i].type;
        for (std::int64_t &extent : none.dims) extent = std::max<std::int64_t>(extent, 0);
        none.dims.insert(none.dims.begin(), 0);
        outputs.push_back(stacked(collected[i], 0, none));
    }
    return outputs;
}

/// Scan as of operator set 9: without a dimension of batches.
std::vector<tensor> graph_runner::run_scan(const segment &before, const values &tensors) {
    const pending &next = before.state.rest.front();
    const node &n = *next.next;
    if (opset_ < 9) throw unsupported(n.text() + ": Scan of operator set 8");
    graph_runner &runner = body_of(before, "body");
    const graph &body = runner.graph_;
    const op_context c(n, opset_, std::vector<const tensor_type *>(n.inputs.size()),
        std::vector<const tensor *>(n.inputs.size()));
    const auto scanned = std::size_t(*c.required("num_scan_inputs").integer);
    if (scanned < 1 || scanned > n.inputs.size()) c.fail("its attribute num_scan_inputs is wrong");
    const std::size_t states = n.inputs.size() - scanned, results = body.outputs.size() - states;
    const extents none(n.inputs.size() + body.outputs.size(), 0);
    const extents axes = c.integers("scan_input_axes", none),
                  back = c.integers("scan_input_directions", none);
    const extents to_axes = c.integers("scan_output_axes", none),
                  to_back = c.integers("scan_output_directions", none);
    named_tensors given = captured(before, tensors, body, false);
    std::vector<tensor> inputs;
    for (const std::string &name : n.inputs) {
        const int id = next.where->find(name);
        const tensor &constant = before.state.made.values.at(id).constant;
        inputs.push_back(constant ? constant : tensors.at(id));
    }
    const int first_axis = c.axis_of(axes.at(0), inputs[states].type().rank());
    const std::int64_t trips = inputs[states].dims().at(first_axis);
    std::vector<std::vector<tensor>> collected(results);
    for (std::int64_t trip = 0; trip < trips; ++trip) {
        for (std::size_t i = 0; i < states; ++i) given[body.inputs[i].name] = inputs[i];
        for (std::size_t i = 0; i < scanned; ++i) {
            const tensor &whole = inputs[states + i];
            const int axis = c.axis_of(axes.at(i), whole.type().rank());
            if (whole.dims()[axis] != trips) c.fail("the inputs that are scanned differ in length");
            given[body.inputs[states + i].name] =
                part_at(whole, axis, back.at(i) ? trips - 1 - trip : trip);
        }
        const std::vector<tensor> out = runner.run(given);
        for (std::size_t i = 0; i < states; ++i) inputs[i] = out[i];
        for (std::size_t i = 0; i < results; ++i) collected[i].push_back(out[states + i]);
    }
    std::vector<tensor> outputs(inputs.begin(), inputs.begin() + std::ptrdiff_t(states));
    for (std::size_t i = 0; i < results; ++i) {
        if (to_back.at(i)) std::reverse(collected[i].begin(), collected[i].end());
        if (collected[i].empty()) c.fail("it has nothing to scan");
        outputs.push_back(
            stacked(collected[i], c.axis_of(to_axes.at(i), collected[i][0].type().rank() + 1), {}));
    }
    return outputs;
}

std::vector<tensor> graph_runner::run_alone(const segment &before, const values &tensors) {
    const pending &next = before.state.rest.front();
    const node &n = *next.next;
    if (n.operation == "Loop") return run_loop(before, tensors);
    if (n.operation == "Scan") return run_scan(before, tensors);
    std::vector<tensor> inputs;
    std::vector<const tensor_type *> types;
    std::vector<const tensor *> known;
    for (const std::string &name : n.inputs) {
        const int id = name.empty() ? -1 : next.where->find(name);
        inputs.emplace_back();
        if (id < 0) continue;
        const tensor &constant = before.state.made.values[id].constant;
        inputs.back() = constant ? constant : tensors.at(id);
    }
    for (const tensor &input : inputs) {
        types.push_back(input ? &input.type() : nullptr);
        known.push_back(input ? &input : nullptr);
    }
    op_context c(n, opset_, types, known);
    const host_step host = find_operator(n.domain, n.operation)(c);
    if (!host) c.not_there("its extents follow from values, and no step on the host computes it");
    std::vector<tensor> outputs;
    std::vector<tensor_view> in, out;
    for (tensor &input : inputs)
        in.push_back(input ? tensor_view {&input.type(), input.bytes()} : tensor_view {});
    outputs.reserve(c.outputs().size());
    for (const tensor_type &type : c.outputs()) {
        outputs.push_back(type.type == element_type::undefined ? tensor() : tensor(type));
        out.push_back(outputs.back() ? tensor_view {&outputs.back().type(), outputs.back().bytes()}
                                     : tensor_view {});
    }
    host(in, out);
    return outputs;
}

} // namespace dnnl_onnx
