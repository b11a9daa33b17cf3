// SPDX-License-Identifier: Apache-2.0
// A network of primitives, in one of the types.
#pragma once

#include "storage.hpp"
#include "weights.hpp"

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace topologies {

using arguments = std::unordered_map<int, memory>;

struct step {
    const char *what; // the kind of primitive, for tables
    dnnl::primitive run;
    arguments args;
    int layer;
    std::string implementation;
};

class built_network {
  public:
    /// `ranges`: for int8 the largest magnitude of each layer's result. `fuses_shuffles`: by
    /// convolutions into every second pixel; otherwise by a reorder after the convolution. Throws
    /// dnnl::error with status unimplemented if the library has no primitive for a layer.
    built_network(const dnnl::engine &engine, const graph &g, precision p,
        const std::vector<float> &ranges = {}, bool fuses_shuffles = true);

    /// Called after each step.
    using watcher = std::function<void(const step &)>;
    void run(dnnl::stream &stream, const watcher &after = {}) const;

    /// f32, in the order of random_input().
    void set_input(const std::vector<float> &values);
    std::vector<float> output() const;

    /// The result of a layer until a later one takes its memory.
    memory result_of(int layer) const { return results_.at(layer); }
    const std::vector<step> &steps() const { return steps_; }

  private:
    friend class builder;

    memory input_;
    std::unordered_map<int, memory> results_;
    arena arena_;
    std::vector<step> steps_;
};

} // namespace topologies
