// SPDX-License-Identifier: Apache-2.0
// Small models for tests, made in memory.
#pragma once

#include "../model/order.hpp"
#include "../network.hpp"

namespace dnnl_onnx {

class builder {
  public:
    explicit builder(std::int64_t opset = 13) { model_.opsets[""] = opset; }

    void input(const std::string &name, extents dims, element_type type = element_type::f32) {
        value_info info;
        info.name = name;
        info.symbols.resize(dims.size());
        info.type = {type, std::move(dims)};
        info.has_dims = true;
        model_.main.inputs.push_back(info);
    }
    /// Weights, uniform in [low, high), other ones in each tensor.
    std::string weights(extents dims, float low = -0.5f, float high = 0.5f) {
        tensor to(element_type::f32, std::move(dims));
        for (std::int64_t i = 0; i < to.count(); ++i)
            to.data<float>()[i] = low + (high - low) * next();
        return constant(to);
    }
    std::string constant(const tensor &elements) {
        const std::string name = "c" + std::to_string(model_.main.initializers.size());
        model_.main.initializers[name] = elements;
        return name;
    }
    std::string number(float value) { return constant(scalar_tensor(element_type::f32, value)); }

    /// Adds a node and returns the name of its first output.
    std::string node(const std::string &operation, std::vector<std::string> inputs,
        std::map<std::string, attribute> attributes = {}, int outputs = 1) {
        dnnl_onnx::node n;
        n.operation = operation;
        n.name = operation + std::to_string(model_.main.nodes.size());
        n.inputs = std::move(inputs);
        n.attributes = std::move(attributes);
        for (int i = 0; i < outputs; ++i)
            n.outputs.push_back(n.name + (i ? "." + std::to_string(i) : ""));
        model_.main.nodes.push_back(n);
        return n.outputs[0];
    }
    void output(const std::string &name) {
        value_info info;
        info.name = name;
        model_.main.outputs.push_back(info);
    }

    model finished() const {
        model copy = model_;
        put_in_order(copy.main);
        return copy;
    }

  private:
    float next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return float(state_ >> 40) / 16777216;
    }

    model model_;
    std::uint64_t state_ = 1;
};

inline attribute integers(std::vector<std::int64_t> values) {
    attribute a;
    a.integers = std::move(values);
    return a;
}
inline attribute integer(std::int64_t value) {
    attribute a;
    a.integer = value;
    return a;
}
inline attribute number(float value) {
    attribute a;
    a.number = value;
    return a;
}
inline attribute text(std::string value) {
    attribute a;
    a.text = std::move(value);
    return a;
}

} // namespace dnnl_onnx
