// SPDX-License-Identifier: Apache-2.0
// Layers of LSTM that take one step at a time, on the first rows of a batch.
#pragma once

#include "network.hpp"
#include "numbers.hpp"

namespace nmt {

/// Where the first layer gets its input.
enum class first_layer {
    embeddings, // rows of states, which it multiplies with its weights
    gate_sums,  // rows of products that were formed before, for the whole table
};

/// The weights of all layers in one format, in the layouts that the library wants.
struct stack_weights {
    stack_weights(const engine &cpu, number kind, first_layer first, memory::dim hidden,
        const std::vector<lstm_weights> &layers, memory::dim most_rows);

    /// The descriptor of one layer's step on so many rows.
    dnnl::lstm_forward::primitive_desc step(std::size_t layer, memory::dim rows) const;

    engine cpu;
    number kind;
    first_layer first;
    memory::dim hidden;
    std::vector<memory> layer, iter, bias;
    std::vector<dnnl::primitive_attr> attributes; // scales of int8
};

/// States of a batch. A step reads those before it and writes those behind it; the same buffers
/// serve both where `in_place`.
class lstm_stack {
  public:
    lstm_stack(const stack_weights &weights, memory::dim most_rows, bool in_place);

    /// All states zero.
    void clear();
    /// One step of the first `rows` rows: input() to top().
    void step(stream &s, memory::dim rows);
    /// Row r gets, before the next step, the states that row parents[r] has behind this one.
    void follow(const std::vector<int> &parents);

    const memory &input() const { return input_; }
    const memory &top() const { return layers_.back().out; }

  private:
    struct layer_states {
        memory h_before, c_before, h_behind, c_behind, out;
    };
    struct prepared_step {
        std::vector<dnnl::lstm_forward> cells;
        std::vector<arguments> args;
    };
    prepared_step prepare(memory::dim rows) const;

    const stack_weights &weights_;
    memory input_;
    std::vector<layer_states> layers_;
    std::map<memory::dim, prepared_step> of_rows_;
};

} // namespace nmt
