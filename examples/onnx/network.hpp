// SPDX-License-Identifier: Apache-2.0
// A model that runs. Programs are made when inputs of new extents come, and kept.
#pragma once

#include "plan/lowering.hpp"
#include "plan/trace.hpp"

#include <map>
#include <memory>
#include <set>

namespace dnnl_onnx {

using named_tensors = std::map<std::string, tensor>;

struct network_options {
    bool fuse = true;
    bool check_extents = true; // of inputs against those that the model declares
    number_types types;
};

/// Called behind each step of a program with the program and the step.
using step_watch = std::function<void(const steps &, std::size_t)>;

/// A graph or the body of a node.
class graph_runner {
  public:
    /// `fixed` are values from around the graph that never change.
    graph_runner(const graph &of, std::int64_t opset, std::shared_ptr<constants> shared,
        const network_options &options, named_tensors fixed = {});
    ~graph_runner();

    /// The outputs in the graph's order. `given` has a tensor for each input of the graph and for
    /// each value that it takes from around it and that is not fixed.
    std::vector<tensor> run(const named_tensors &given, const step_watch &watch = {});

    /// The programs that the last run went through, in order.
    const std::vector<const steps *> &last_programs() const { return last_; }

  private:
    struct segment;
    using values = std::map<int, tensor>; // by number

    segment &first_segment(const named_tensors &given, values &tensors);
    segment &next_segment(segment &before, values &tensors);
    std::unique_ptr<segment> begin(const named_tensors &given);
    void finish(segment &made);
    std::vector<tensor> run_alone(const segment &before, const values &tensors);
    std::vector<tensor> run_loop(const segment &before, const values &tensors);
    std::vector<tensor> run_scan(const segment &before, const values &tensors);
    graph_runner &body_of(const segment &before, const char *attribute);
    named_tensors captured(
        const segment &before, const values &tensors, const graph &body, bool permanent) const;
    tensor value_of(const segment &before, const values &tensors, const std::string &name) const;

    const graph &graph_;
    std::int64_t opset_;
    std::shared_ptr<constants> constants_;
    network_options options_;
    named_tensors fixed_;
    dnnl::stream stream_;
    folded_nodes folded_;
    std::map<std::string, std::unique_ptr<segment>> segments_;
    std::map<const graph *, std::unique_ptr<graph_runner>> bodies_;
    std::vector<const steps *> last_;
};

class network {
  public:
    explicit network(model of, const network_options &options = {});

    const std::vector<value_info> &inputs() const { return model_.main.inputs; }
    const std::vector<value_info> &outputs() const { return model_.main.outputs; }
    const model &source() const { return model_; }

    /// Runs the model. Throws `error` where an input is missing, unknown, or of other extents or
    /// another type than the model declares.
    std::vector<tensor> run(const named_tensors &given, const step_watch &watch = {});

    const std::vector<const steps *> &last_programs() const { return runner_.last_programs(); }
    const dnnl::engine &engine() const { return constants_->engine(); }

  private:
    void check(const named_tensors &given) const;

    model model_;
    network_options options_;
    std::shared_ptr<constants> constants_;
    graph_runner runner_;
};

} // namespace dnnl_onnx
