// SPDX-License-Identifier: Apache-2.0
// Weights in the layouts that primitives chose, shared by all programs of a model.
#pragma once

#include "layout.hpp"

#include <functional>
#include <map>
#include <string>

namespace dnnl_onnx {

class constants {
  public:
    explicit constants(dnnl::engine engine) : engine_(std::move(engine)), stream_(engine_) {}

    /// The elements, which lie as `from` tells, in the layout and type `to`. Made once for each
    /// pair of a tensor and a layout.
    dnnl::memory reordered(
        const tensor &elements, const dnnl::memory::desc &from, const dnnl::memory::desc &to);

    /// A tensor that is computed of others: made once for each key. The key has to name everything
    /// that the result depends on.
    tensor computed(const std::string &key, const std::function<tensor()> &make);

    const dnnl::engine &engine() const { return engine_; }

  private:
    struct entry {
        tensor elements; // keeps the address taken
        dnnl::memory::desc from, to;
        dnnl::memory result;
    };
    dnnl::engine engine_;
    dnnl::stream stream_;
    std::multimap<const std::byte *, entry> entries_;
    std::map<std::string, tensor> computed_;
};

/// A part of a key: elements of f32 by their values.
std::string key_of(const tensor &elements);

} // namespace dnnl_onnx
