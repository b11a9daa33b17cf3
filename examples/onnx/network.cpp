// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include "model/order.hpp"
#include "plan/lowering.hpp"
#include "plan/rewriter.hpp"
#include "segment.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dnnl_onnx {

namespace {

// Programs that are kept per piece of a graph; beyond that the piece forgets all of them.
constexpr std::size_t most_programs = 64;

/// What a program depends on of a value: its extents, and the elements if they decide extents.
std::string key_part(const tensor &value) {
    std::string key = text_of(value.type()) + ";";
    if (decides_extents(value.type())) key += key_of(value);
    return key;
}

/// The rest of a trace with scopes of its own, so that two programs that go on from one place do
/// not write into each other's names.
std::deque<pending> with_own_scopes(
    std::deque<pending> rest, std::map<const scope *, std::shared_ptr<scope>> &copies) {
    const std::function<std::shared_ptr<scope>(const std::shared_ptr<const scope> &)> own =
        [&](const std::shared_ptr<const scope> &from) -> std::shared_ptr<scope> {
        if (!from) return nullptr;
        std::shared_ptr<scope> &copy = copies[from.get()];
        if (!copy) {
            copy = std::make_shared<scope>();
            copy->names = from->names;
            copy->around = own(from->around);
        }
        return copy;
    };
    for (pending &p : rest) {
        p.where = own(p.where);
        p.inside = own(p.inside);
    }
    return rest;
}

} // namespace

graph_runner::graph_runner(const graph &of, std::int64_t opset, std::shared_ptr<constants> shared,
    const network_options &options, named_tensors fixed)
    : graph_(of), opset_(opset), constants_(std::move(shared)), options_(options),
      fixed_(std::move(fixed)), stream_(constants_->engine()) {}

graph_runner::~graph_runner() = default;

std::unique_ptr<graph_runner::segment> graph_runner::begin(const named_tensors &given) {
    auto made = std::make_unique<segment>();
    program &p = made->state.made;
    p.opset = opset_;
    made->top = std::make_shared<scope>();
    const auto add = [&](const std::string &name, const tensor_type &type) -> value & {
        made->top->names[name] = int(p.values.size());
        p.values.push_back({name, type, {}, false});
        return p.values.back();
    };
    for (const named_tensors *list : {&graph_.initializers, &std::as_const(fixed_)})
        for (const auto &[name, elements] : *list) {
            value &v = add(name, elements.type());
            v.constant = elements;
            v.permanent = true;
        }
    for (const auto &[name, elements] : given) {
        const int id = int(p.values.size());
        value &v = add(name, elements.type());
        if (decides_extents(elements.type()))
            v.constant = elements;
        else
            p.inputs.push_back(id);
    }
    for (const node &each : graph_.nodes)
        made->state.rest.push_back({&each, made->top, nullptr, nullptr});
    finish(*made);
    return made;
}

/// Traces and lowers a segment whose inputs are told.
void graph_runner::finish(segment &made) {
    trace(made.state, folded_);
    program &p = made.state.made;
    std::set<int> wanted;
    for (int id : values_taken(made.state.rest)) wanted.insert(id);
    for (const value_info &output : graph_.outputs) {
        const int id = made.top->find(output.name);
        if (id >= 0)
            wanted.insert(id);
        else if (made.state.rest.empty())
            throw error("the output '" + output.name + "' is not made");
    }
    p.outputs.clear();
    for (int id : wanted)
        if (!p.values[id].constant) p.outputs.push_back(id);
    program lowered = p;
    p.operations.clear();
    settle_gemm(lowered);
    if (options_.fuse) fuse(lowered);
    made.lowered = std::make_unique<steps>();
    lowering(lowered, *constants_, *made.lowered, options_.types).run();
}

graph_runner::segment &graph_runner::first_segment(const named_tensors &given, values &tensors) {
    std::string key;
    for (const auto &[name, elements] : given) key += name + "=" + key_part(elements);
    if (segments_.size() >= most_programs && !segments_.count(key)) segments_.clear();
    std::unique_ptr<segment> &found = segments_[key];
    if (!found) {
        try {
            found = begin(given);
        } catch (...) {
            segments_.erase(key);
            throw;
        }
    }
    for (const auto &[name, elements] : given) tensors[found->top->find(name)] = elements;
    return *found;
}

graph_runner::segment &graph_runner::next_segment(segment &before, values &tensors) {
    const std::vector<tensor> results =
        before.state.runs_alone ? run_alone(before, tensors) : std::vector<tensor>();
    std::string key;
    for (int id : before.state.made.outputs) key += key_part(tensors.at(id));
    for (const tensor &result : results) key += key_part(result);
    if (before.next.size() >= most_programs && !before.next.count(key)) before.next.clear();
    std::unique_ptr<segment> &found = before.next[key];
    const bool is_new = !found;
    if (is_new) {
        found = std::make_unique<segment>();
        found->state.made = before.state.made;
        std::map<const scope *, std::shared_ptr<scope>> copies;
        found->state.rest = with_own_scopes(before.state.rest, copies);
        const auto top = copies.find(before.top.get());
        found->top = top != copies.end() ? top->second : std::make_shared<scope>(*before.top);
    }
    program &p = found->state.made;
    if (before.state.runs_alone) {
        if (is_new) {
            const pending alone = found->state.rest.front();
            found->state.rest.pop_front();
            found->alone_first = int(p.values.size());
            for (std::size_t i = 0; i < results.size(); ++i) {
                const std::string &name = alone.next->outputs[i];
                if (!name.empty()) alone.where->names[name] = int(p.values.size());
                p.values.push_back({name, results[i].type(), {}, false});
            }
        }
        for (std::size_t i = 0; i < results.size(); ++i)
            tensors[found->alone_first + int(i)] = results[i];
    }
    if (is_new) {
        p.inputs.clear();
        std::vector<int> there = before.state.made.outputs;
        for (std::size_t i = 0; i < results.size(); ++i)
            there.push_back(found->alone_first + int(i));
        for (int id : there) {
            if (decides_extents(p.values[id].type))
                p.values[id].constant = tensors.at(id);
            else
                p.inputs.push_back(id);
        }
        finish(*found);
    }
    return *found;
}

std::vector<tensor> graph_runner::run(const named_tensors &given, const step_watch &watch) {
    values tensors;
    last_.clear();
    segment *at = &first_segment(given, tensors);
    for (;;) {
        const program &p = at->state.made;
        std::vector<tensor> inputs;
        for (int id : p.inputs) inputs.push_back(tensors.at(id));
        std::function<void(std::size_t)> each;
        if (watch) each = [&](std::size_t step) { watch(*at->lowered, step); };
        const std::vector<tensor> results = at->lowered->run(stream_, inputs, each);
        last_.push_back(at->lowered.get());
        for (std::size_t i = 0; i < results.size(); ++i) tensors[p.outputs[i]] = results[i];
        if (at->state.rest.empty()) break;
        at = &next_segment(*at, tensors);
    }
    std::vector<tensor> outputs;
    for (const value_info &output : graph_.outputs)
        outputs.push_back(value_of(*at, tensors, output.name));
    return outputs;
}

tensor graph_runner::value_of(
    const segment &before, const values &tensors, const std::string &name) const {
    const int id = before.top->find(name);
    const tensor &constant = before.state.made.values.at(id).constant;
    return constant ? constant : tensors.at(id);
}

network::network(model of, const network_options &options)
    : model_(std::move(of)), options_(options),
      constants_(std::make_shared<constants>(dnnl::engine(dnnl::engine::kind::cpu, 0))),
      runner_(model_.main, model_.opset(), constants_, options) {}

void network::check(const named_tensors &given) const {
    for (const value_info &input : inputs()) {
        if (input.type.type == element_type::undefined)
            throw unsupported("the input '" + input.name + "' is no tensor");
        const auto found = given.find(input.name);
        if (found == given.end()) throw error("the input '" + input.name + "' is missing");
        const tensor_type &type = found->second.type();
        bool fits = input.type.type == type.type;
        if (input.has_dims && options_.check_extents) {
            fits &= input.type.dims.size() == type.dims.size();
            for (std::size_t d = 0; fits && d < type.dims.size(); ++d)
                fits = input.type.dims[d] < 0 || input.type.dims[d] == type.dims[d];
        }
        if (!fits)
            throw error("the input '" + input.name + "' is " + text_of(type) +
                        ", and the model wants " + text_of(input.type));
    }
    for (const auto &each : given) {
        const bool known = std::any_of(inputs().begin(), inputs().end(),
            [&](const value_info &input) { return input.name == each.first; });
        if (!known) throw error("the model has no input '" + each.first + "'");
    }
}

std::vector<tensor> network::run(const named_tensors &given, const step_watch &watch) {
    check(given);
    return runner_.run(given, watch);
}

} // namespace dnnl_onnx
