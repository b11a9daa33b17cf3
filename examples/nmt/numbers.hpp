// SPDX-License-Identifier: Apache-2.0
// The number formats of the translator: which types states and weights have, how they are rounded,
// and the pieces that every part of it executes.
#pragma once

#include "../example.hpp"

#include <map>
#include <string>
#include <vector>

namespace nmt {

using dnnl::engine;
using dnnl::memory;
using dnnl::stream;
using examples::dt;
using examples::tag;
using arguments = std::unordered_map<int, memory>;

enum class number { f32, bf16, int8 };

const char *name_of(number kind);
dt state_type(number kind);
dt weight_type(number kind);

/// States, embeddings and contexts lie in (-1, 1); in int8 they are stored as 127 x + 128 in u8.
constexpr float state_factor = 127;
constexpr int state_zero = 128;

/// One number, as scales and zero points are passed.
memory one_number(const engine &cpu, float value);
memory one_number(const engine &cpu, std::int32_t value);

/// Rows of a table with strides of their own, in elements.
memory::desc rows_desc(
    memory::dim rows, memory::dim columns, dt type, memory::dim stride, memory::dim first = 0);

/// Fills a memory with the state zero.
void clear_states(const memory &states);

/// The values in the layout and type that a primitive wants. `values` are those of `plain`.
memory packed(const engine &cpu, std::vector<float> values, const memory::desc &plain,
    const memory::desc &wanted);

/// max |w| / 127 of each of the last `columns` indices of several tables of rows, 1 where all are
/// 0.
std::vector<float> scales_of_columns(
    const std::vector<const std::vector<float> *> &tables, std::size_t columns);

/// Divided by the scale of their column and rounded.
std::vector<float> rounded(const std::vector<float> &values, const std::vector<float> &scales);

/// Copies numbers between f32 and the states' type, whatever the strides.
class conversion {
  public:
    conversion() = default;
    conversion(const engine &cpu, const memory &from, const memory &to);
    void execute(stream &s) { reorder_.execute(s, args_); }

  private:
    dnnl::reorder reorder_;
    arguments args_;
};

/// What a product does with its sums.
struct product_end {
    dt type = dt::f32; // of the results; u8 ones are states
    bool tanh = false;
    const std::vector<float> *bias = nullptr;
};

/// States times a matrix of weights, for any number of rows.
class product {
  public:
    /// `weights`: K x N, or N x K where `by_columns`.
    product(const engine &cpu, number kind, const std::vector<float> &weights, memory::dim K,
        memory::dim N, memory::dim most_rows, const product_end &end = {}, bool by_columns = false);
    void execute(stream &s, const memory &src, const memory &dst);

  private:
    dnnl::matmul::primitive_desc describe(memory::dim rows, const memory::desc &weights) const;

    engine cpu_;
    number kind_;
    memory::dim K_, N_;
    product_end end_;
    arguments fixed_;
    std::map<memory::dim, dnnl::matmul> of_rows_;
};

} // namespace nmt
