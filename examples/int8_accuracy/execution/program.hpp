// SPDX-License-Identifier: Apache-2.0
// A list of primitives to execute in order, and memory objects for them.
#pragma once

#include <dnnl.hpp>

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace int8_accuracy {

/// The same tensor in whatever layout a primitive prefers.
dnnl::memory::desc any_layout(const dnnl::memory::dims &dims, dnnl::memory::data_type type);
/// The tensor row-major.
dnnl::memory::desc plain_desc(const dnnl::memory::dims &dims, dnnl::memory::data_type type);
dnnl::memory::desc vector_desc(dnnl::memory::dim count, dnnl::memory::data_type type);

/// A memory object with a copy of the values; `desc` is plain and f32.
dnnl::memory filled_memory(
    const dnnl::engine &engine, const dnnl::memory::desc &desc, const std::vector<float> &values);
dnnl::memory zero_memory(const dnnl::engine &engine, const dnnl::memory::desc &desc);
dnnl::memory scalar_memory(const dnnl::engine &engine, float value);
dnnl::memory scalar_memory(const dnnl::engine &engine, std::int32_t value);

/// A copy of the numbers of an f32 memory object, in the order of its bytes.
std::vector<float> values_of(const dnnl::memory &from);

/// Steps that run one after the other on a stream.
class program {
  public:
    using arguments = std::unordered_map<int, dnnl::memory>;

    void add(const dnnl::primitive &primitive, const arguments &args);
    void add(std::function<void()> step);

    /// `from` itself if it has the wanted layout and type, otherwise a copy that a reorder
    /// refreshes each time the program runs.
    dnnl::memory in_layout(const dnnl::memory &from, const dnnl::memory::desc &wanted);

    /// Adds a reorder after which `to` holds `from`, unless they are the same memory.
    void copy(const dnnl::memory &from, const dnnl::memory &to);

    void run(dnnl::stream &stream) const;

  private:
    std::vector<std::function<void(dnnl::stream &)>> steps_;
};

} // namespace int8_accuracy
