// SPDX-License-Identifier: Apache-2.0
#include "trace.hpp"

#include "../model/order.hpp"

#include <algorithm>
#include <set>

namespace dnnl_onnx {

int scope::find(const std::string &name) const {
    for (const scope *s = this; s; s = s->around.get()) {
        const auto found = s->names.find(name);
        if (found != s->names.end()) return found->second;
    }
    return -1;
}

bool decides_extents(const tensor_type &type) {
    return !is_float(type.type) && type.rank() <= 1 && type.count() <= 64;
}

std::vector<int> values_taken(const std::deque<pending> &rest) {
    std::set<int> taken;
    const auto take = [&](const scope &where, const std::string &name) {
        const int id = name.empty() ? -1 : where.find(name);
        if (id >= 0) taken.insert(id);
    };
    for (const pending &p : rest) {
        if (p.body) {
            for (const value_info &output : p.body->outputs) take(*p.inside, output.name);
            continue;
        }
        for (const std::string &name : p.next->inputs) take(*p.where, name);
        for (const auto &[key, value] : p.next->attributes)
            if (value.body)
                for (const std::string &name : captured_names(*value.body)) take(*p.where, name);
    }
    return {taken.begin(), taken.end()};
}

namespace {

class tracer {
  public:
    tracer(trace_state &state, folded_nodes &folded)
        : state_(state), program_(state.made), folded_(folded) {}

    void run() {
        state_.runs_alone = false;
        while (!state_.rest.empty()) {
            const pending next = state_.rest.front();
            if (next.body) {
                state_.rest.pop_front();
                for (std::size_t i = 0; i < next.next->outputs.size(); ++i)
                    bind(next, i, next.inside->find(next.body->outputs[i].name));
            } else if (!step(next)) {
                return;
            }
        }
    }

  private:
    // Takes the first of the rest into the program; false where the trace ends before it.
    bool step(const pending &next) {
        const node &n = *next.next;
        if (n.operation == "If" && n.domain.empty()) return choose_branch(next);
        if ((n.operation == "Loop" || n.operation == "Scan") && n.domain.empty()) {
            state_.runs_alone = true;
            return false;
        }
        if (n.operation == "Identity" && n.domain.empty() && n.inputs.size() == 1) {
            state_.rest.pop_front();
            bind(next, 0, next.where->find(n.inputs[0]));
            return true;
        }
        try {
            add_operation(next);
        } catch (const needs_value &needed) {
            const int id = next.where->find(n.inputs[needed.input]);
            // A value that a primitive or a step of this very program makes is there after it ran.
            state_.runs_alone = !decides_extents(program_.values[id].type);
            return false;
        }
        return true;
    }

    bool choose_branch(const pending &next) {
        const node &n = *next.next;
        const int id = next.where->find(n.inputs.at(0));
        const tensor &condition = program_.values.at(id).constant;
        if (!condition) {
            if (program_.values[id].type.count() != 1)
                throw error(n.text() + ": its condition has more than one element");
            return false;
        }
        const char *branch = condition.integers().at(0) ? "then_branch" : "else_branch";
        const auto found = n.attributes.find(branch);
        if (found == n.attributes.end() || !found->second.body)
            throw error(n.text() + ": its attribute " + branch + " is missing");
        const std::shared_ptr<const graph> body = found->second.body;
        if (body->outputs.size() < n.outputs.size())
            throw error(n.text() + ": its " + branch + " has too few outputs");
        auto inside = std::make_shared<scope>();
        inside->around = next.where;
        for (const auto &[name, elements] : body->initializers)
            inside->names[name] = constant(name, elements, true);
        state_.rest.front() = {&n, next.where, body, inside};
        for (auto each = body->nodes.rbegin(); each != body->nodes.rend(); ++each)
            state_.rest.push_front({&*each, inside, nullptr, nullptr});
        return true;
    }

    void add_operation(const pending &next) {
        const node &n = *next.next;
        const prepare_function prepare = find_operator(n.domain, n.operation);
        if (!prepare)
            throw unsupported(n.text() + ": there is no operator " +
                              (n.domain.empty() ? "" : n.domain + ".") + n.operation);
        operation op;
        op.kind = n.operation;
        op.asked = &n;
        op.fused = {n.text()};
        for (const std::string &name : n.inputs)
            op.in.push_back(name.empty() ? -1 : next.where->find(name));
        op_context context = program_.context(op);
        op.host = prepare(context);
        state_.rest.pop_front();
        for (std::size_t i = 0; i < n.outputs.size(); ++i) {
            if (context.out(i).type == element_type::undefined && !n.outputs[i].empty())
                throw unsupported(n.text() + ": there is no output " + std::to_string(i));
            program_.values.push_back({n.outputs[i], context.out(i), {}, false});
            op.out.push_back(int(program_.values.size()) - 1);
            bind(next, i, op.out.back());
        }
        if (!fold(op)) program_.operations.push_back(std::move(op));
    }

    // Computes what depends on known values alone. Shape and Size look at extents only.
    bool fold(const operation &op) {
        const bool extents_only = op.kind == "Shape" || op.kind == "Size";
        bool permanent = !extents_only;
        if (!op.host) return false;
        for (int id : op.in) {
            if (id < 0) continue;
            if (!program_.values[id].constant && !extents_only) return false;
            permanent &= program_.values[id].permanent;
        }
        if (permanent) {
            const auto [found, is_new] = folded_.try_emplace(op.asked);
            if (is_new) found->second = computed(op);
            for (std::size_t i = 0; i < op.out.size(); ++i)
                program_.values[op.out[i]].constant = found->second[i];
        } else {
            const std::vector<tensor> results = computed(op);
            for (std::size_t i = 0; i < op.out.size(); ++i)
                program_.values[op.out[i]].constant = results[i];
        }
        for (int id : op.out) program_.values[id].permanent = permanent;
        if (op.kind == "DequantizeLinear") remember_integers(op);
        return true;
    }

    /// Products take integers as they are in the model rather than others of the f32 elements.
    void remember_integers(const operation &op) {
        const tensor &values = program_.values[op.in[0]].constant;
        if (values.type().type != element_type::s8) return;
        if (op.in.size() > 2 && op.in[2] >= 0)
            for (std::int64_t zero : program_.values[op.in[2]].constant.integers())
                if (zero != 0) return;
        const op_context c = program_.context(op);
        const tensor &scales = program_.values[op.in[1]].constant;
        const int axis = scales.count() > 1 ? c.axis("axis", 1, c.rank(0)) : 0;
        program_.integers[program_.values[op.out[0]].constant.bytes()] = {values, scales, axis};
    }

    std::vector<tensor> computed(const operation &op) {
        std::vector<tensor_view> in, out;
        for (int id : op.in) {
            if (id < 0) {
                in.emplace_back();
                continue;
            }
            value &from = program_.values[id];
            in.push_back({&from.type, from.constant.bytes()});
        }
        std::vector<tensor> results;
        for (int id : op.out) {
            const value &to = program_.values[id];
            if (to.type.type == element_type::undefined) { // an output that nobody wants
                results.emplace_back();
                out.emplace_back();
                continue;
            }
            results.emplace_back(to.type);
            out.push_back({&to.type, results.back().bytes()});
        }
        op.host(in, out);
        return results;
    }

    int constant(const std::string &name, const tensor &elements, bool permanent) {
        program_.values.push_back({name, elements.type(), elements, permanent});
        return int(program_.values.size()) - 1;
    }

    void bind(const pending &next, std::size_t output, int id) {
        const std::string &name = next.next->outputs[output];
        if (!name.empty()) next.where->names[name] = id;
    }

    trace_state &state_;
    program &program_;
    folded_nodes &folded_;
};

} // namespace

void trace(trace_state &state, folded_nodes &folded) { tracer(state, folded).run(); }

} // namespace dnnl_onnx
