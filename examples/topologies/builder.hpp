// SPDX-License-Identifier: Apache-2.0
// Adds the primitives of one layer after the other to a network.
#pragma once

#include "build.hpp"

namespace topologies {

/// N, C, H, W, channels last, of a tensor that has `wide` channels.
inline memory::desc image_desc(const dims &shape, dt type, dim wide) {
    const dim W = shape[3], H = shape[2];
    return {shape, type, {H * W * wide, 1, W * wide, wide}};
}

/// Attributes of a primitive and the arguments that belong to them.
struct recipe {
    dnnl::primitive_attr attr;
    dnnl::post_ops ops;
    arguments args;
};

class builder {
  public:
    builder(const dnnl::engine &engine, const graph &g, precision p,
        const std::vector<float> &ranges, bool fuses_shuffles, built_network &to);

    void add(int layer);

  private:
    const layer &at(int i) const { return g_.layers[std::size_t(i)]; }
    const form &form_of(int i) const { return forms_[std::size_t(i)]; }
    const layer &current() const { return at(now_); }
    const memory &result() const { return to_.results_.at(now_); }
    int source() const { return current().sources[0]; }

    template <class Primitive>
    void step_of(const char *what, const typename Primitive::primitive_desc &pd, arguments args) {
        to_.steps_.push_back({what, Primitive(pd), std::move(args), now_, pd.impl_info_str()});
    }
    void copy(const memory &from, const memory &to, const dnnl::primitive_attr &attr = {},
        arguments args = {});

    memory::desc desc_of(int i) const;
    memory place_result(int i);
    /// What a product reads: the layer's result, in bytes where products are in bytes.
    std::pair<memory, form> operand(int i);

    memory vector(
        const std::vector<float> &values, const dims &shape, memory::format_tag order) const;
    memory vector(const std::vector<float> &values) const;
    void scale(recipe &r, int arg, const form &of) const;
    void scale_weights(recipe &r, int mask, const memory &scales) const;
    /// Sum and activation on the sums of a product into `dst`.
    void finish(recipe &r, const memory &dst, const std::vector<float> &slopes);

    dt weights_type() const;
    /// Weights in the layout that a primitive wants, in bytes by the scale of their channel.
    memory packed(
        const memory &plain, const memory::desc &wanted, int mask, const memory &scales) const;

    /// A convolution with `count` of the output channels from `first` on, into `dst`.
    void convolve(layer_weights &w, dim first, dim count, const memory &dst);
    void add_convolution();
    void add_shuffled();
    void add_input();
    void add_pooling(dnnl::algorithm how);
    void add_dense();
    /// Rows as a matrix for each sequence and head, which has `d` channels from `first` on.
    memory by_head(const memory &rows, dim first, dim d, bool transposed = false) const;
    void multiply(recipe &r, const memory &a, const form &of_a, const memory &b, const form &of_b,
        const memory &to);
    void add_scores();
    void add_softmax();
    void add_mix();
    void add_normalization();

    dnnl::engine engine_;
    const graph &g_;
    precision precision_;
    const std::vector<float> &ranges_;
    bool fuses_shuffles_;
    built_network &to_;
    std::vector<form> forms_;
    std::vector<place> places_;
    std::vector<void *> roots_;              // where results begin
    std::unordered_map<int, memory> copies_; // in bytes, of results that are stored as f32
    int now_ = 0;
};

} // namespace topologies
