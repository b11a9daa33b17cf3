// SPDX-License-Identifier: Apache-2.0
// A piece of a model for inputs of known extents: operations over numbered values, each with its
// type. The trace makes it, fusing rewrites it, lowering turns it into steps.
#pragma once

#include "../operators/operator.hpp"

#include <dnnl.hpp>

namespace dnnl_onnx {

struct value {
    std::string name;
    tensor_type type;
    tensor constant;        // the elements, where they are known
    bool permanent = false; // a constant that depends on no input of the model
};

/// What is done with the result of a primitive before it is stored.
struct post_op {
    enum class kind { eltwise, binary };
    kind what;
    dnnl::algorithm algorithm;
    float alpha = 0, beta = 0; // of eltwise
    int operand = -1;          // of binary: the value that is broadcast to the result
};

/// Kinds beyond ONNX's own names are those that fusing makes; they begin with a dot:
/// .Eltwise (algorithm, alpha, beta), .Affine (a factor and a summand, for all elements or for each
/// index of one axis), .Binary (algorithm), .LayerNorm, .Softmax, .LogSoftmax (axis).
struct operation {
    std::string kind;
    const node *asked = nullptr; // the node of the model; of a fused operation, its last
    std::vector<int> in;         // values, -1 where an input is left out
    std::vector<int> out;
    host_step host; // empty where a primitive has to do it
    std::vector<post_op> post;

    dnnl::algorithm algorithm = dnnl::algorithm::undef;
    float alpha = 0, beta = 0;
    int axis = -1;                  // of .Affine; -1: one number for all elements
    tensor scale, shift;            // of .Affine, f32; of products, what is folded into weights
    std::vector<std::string> fused; // the nodes that it does, for messages
    bool dead = false;
};

/// Weights that a model has as s8 with scales, and that DequantizeLinear made f32: by the f32
/// elements. `axis` is the dimension that has a scale each, if there is more than one.
struct integer_constant {
    tensor values, scales;
    int axis = 0;
};
using integer_constants = std::map<const std::byte *, integer_constant>;

struct program {
    std::int64_t opset = 1;
    std::vector<value> values;
    std::vector<operation> operations;
    std::vector<int> inputs;  // values that are given at the run
    std::vector<int> outputs; // values that are wanted
    integer_constants integers;

    /// Asks about the attributes of an operation's node as its function did.
    op_context context(const operation &of) const;
};

} // namespace dnnl_onnx
