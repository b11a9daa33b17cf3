// SPDX-License-Identifier: Apache-2.0
#include "order.hpp"

#include "error.hpp"

#include <algorithm>
#include <queue>

namespace dnnl_onnx {

namespace {

// What a node takes: its inputs, and what its bodies take from around them.
std::set<std::string> names_taken(const node &of) {
    std::set<std::string> names(of.inputs.begin(), of.inputs.end());
    for (const auto &[name, value] : of.attributes)
        if (value.body) names.merge(captured_names(*value.body));
    names.erase("");
    return names;
}

class order {
  public:
    order(graph &of, const std::set<std::string> &around) : graph_(of), known_(around) {
        for (const auto &[name, value] : of.initializers) known_.insert(name);
        for (const value_info &input : of.inputs)
            if (!known_.insert(input.name).second && !around.count(input.name))
                throw error("the graph has two inputs '" + input.name + "'");
        for (std::size_t n = 0; n < of.nodes.size(); ++n)
            for (const std::string &output : of.nodes[n].outputs)
                if (!output.empty() && !makers_.emplace(output, n).second)
                    throw error(of.nodes[n].text() + ": '" + output + "' is made twice, also by " +
                                of.nodes[makers_[output]].text());
    }

    void sort() {
        count_waiting();
        std::vector<node> sorted;
        while (!ready_.empty()) {
            const std::size_t n = ready_.top();
            ready_.pop();
            for (std::size_t follower : followers_[n])
                if (--waiting_[follower] == 0) ready_.push(follower);
            sorted.push_back(std::move(graph_.nodes[n]));
            waiting_[n] = -1;
        }
        for (std::size_t n = 0; n < waiting_.size(); ++n)
            if (waiting_[n] > 0)
                throw error(graph_.nodes[n].text() + " waits for its own results: the graph has a "
                                                     "cycle");
        graph_.nodes = std::move(sorted);
    }

    void check_outputs() const {
        for (const value_info &output : graph_.outputs)
            if (!known_.count(output.name) && !makers_.count(output.name))
                throw error("the output '" + output.name + "' of the graph is made by no node");
    }

    std::set<std::string> all_names() const {
        std::set<std::string> names = known_;
        for (const auto &[name, n] : makers_) names.insert(name);
        return names;
    }

  private:
    void count_waiting() {
        waiting_.assign(graph_.nodes.size(), 0);
        followers_.resize(graph_.nodes.size());
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
            for (const std::string &name : names_taken(graph_.nodes[n])) {
                const auto maker = makers_.find(name);
                if (maker != makers_.end()) {
                    followers_[maker->second].push_back(n);
                    ++waiting_[n];
                } else if (!known_.count(name)) {
                    throw error(graph_.nodes[n].text() + ": its input '" + name +
                                "' is neither an initialiser nor made by a node");
                }
            }
        }
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
            if (waiting_[n] == 0) ready_.push(n);
    }

    graph &graph_;
    std::set<std::string> known_;
    std::map<std::string, std::size_t> makers_;
    std::vector<int> waiting_; // values that a node waits for
    std::vector<std::vector<std::size_t>> followers_;
    // The first node in the file that can run comes first.
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready_;
};

void put_in_order(graph &of, const std::set<std::string> &around) {
    order sorting(of, around);
    sorting.sort();
    sorting.check_outputs();
    const std::set<std::string> names = sorting.all_names();
    for (node &each : of.nodes) {
        for (auto &[name, value] : each.attributes) {
            if (!value.body) continue;
            graph body = *value.body;
            put_in_order(body, names);
            value.body = std::make_shared<const graph>(std::move(body));
        }
    }
}

} // namespace

void put_in_order(graph &of) { put_in_order(of, {}); }

std::set<std::string> captured_names(const graph &body) {
    std::set<std::string> own, taken;
    for (const auto &[name, value] : body.initializers) own.insert(name);
    for (const value_info &input : body.inputs) own.insert(input.name);
    for (const node &each : body.nodes) {
        own.insert(each.outputs.begin(), each.outputs.end());
        taken.merge(names_taken(each));
    }
    for (const value_info &output : body.outputs) taken.insert(output.name);
    std::set<std::string> names;
    std::set_difference(
        taken.begin(), taken.end(), own.begin(), own.end(), std::inserter(names, names.end()));
    return names;
}

} // namespace dnnl_onnx
