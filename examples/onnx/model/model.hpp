// SPDX-License-Identifier: Apache-2.0
// A model as it was read: graphs of nodes over named values. Nothing here depends on protobuf.
#pragma once

#include "tensor.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dnnl_onnx {

struct graph;

/// One attribute of a node; the member that its type names is set.
struct attribute {
    std::optional<std::int64_t> integer;
    std::optional<float> number;
    std::optional<std::string> text;
    tensor constant;
    std::shared_ptr<const graph> body;
    std::vector<std::int64_t> integers;
    std::vector<float> numbers;
    std::vector<std::string> texts;
    std::string missing; // why its value could not be read, empty otherwise
};

struct node {
    std::string operation;
    std::string domain;               // "" is ONNX's own
    std::string name;                 // may be empty
    std::vector<std::string> inputs;  // "" is an input that is left out
    std::vector<std::string> outputs; // "" is an output that nobody wants
    std::map<std::string, attribute> attributes;

    /// How messages name it: "Conv 'conv2d_10'", or by its first output where it has no name.
    std::string text() const;
};

/// An input or output of a graph: extents of -1 are known at the run only.
struct value_info {
    std::string name;
    tensor_type type;
    std::vector<std::string> symbols; // per dimension its name, "" where it is a number or has none
    bool has_dims = false;            // the rank is known
};

struct graph {
    std::string name;
    std::vector<value_info> inputs; // without those that have an initialiser
    std::vector<value_info> outputs;
    std::map<std::string, tensor> initializers;
    std::vector<node> nodes; // each after those whose values it takes
};

struct model {
    graph main;
    std::map<std::string, std::int64_t> opsets; // by domain
    std::string producer;

    std::int64_t opset() const;
};

} // namespace dnnl_onnx
