// SPDX-License-Identifier: Apache-2.0
// From the nodes of a graph to a program, for inputs of known extents.
#pragma once

#include "program.hpp"

#include <deque>

namespace dnnl_onnx {

/// Names of values in a graph or in a body that was put in its place; bodies see what is around
/// them.
struct scope {
    std::map<std::string, int> names;
    std::shared_ptr<const scope> around;

    /// The number of a value, -1 if there is none of that name.
    int find(const std::string &name) const;
};

/// What is still to be traced: a node, or, where `body` is set, the end of a body that was put in
/// the place of its node: the node's outputs are the body's.
struct pending {
    const node *next;
    std::shared_ptr<scope> where;
    std::shared_ptr<const graph> body;
    std::shared_ptr<scope> inside;
};

/// Results of nodes that depend on constants alone; they hold for every trace of a model.
using folded_nodes = std::map<const node *, std::vector<tensor>>;

/// How far a trace came.
struct trace_state {
    program made;
    std::deque<pending> rest; // empty at the end
    /// The first node of `rest` has to run by itself, because the extents of its results follow
    /// from the values of its inputs.
    bool runs_alone = false;
};

/// Traces as far as the extents are known. Values that `state.made` knows are constants; nodes
/// whose inputs are all known are computed at once.
void trace(trace_state &state, folded_nodes &folded);

/// Whether the elements are extents, indices or conditions rather than data: few integers.
/// Such values, once they are there, decide how the trace goes on.
bool decides_extents(const tensor_type &type);

/// The values that the rest of a trace takes from what is traced.
std::vector<int> values_taken(const std::deque<pending> &rest);

} // namespace dnnl_onnx
