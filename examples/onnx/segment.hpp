// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "network.hpp"

namespace dnnl_onnx {

/// A piece of a graph for given extents: the steps up to where extents follow from values, and the
/// pieces behind it by what these values turned out to be.
struct graph_runner::segment {
    trace_state state; // its program's operations are gone: they are lowered
    std::shared_ptr<scope> top;
    std::unique_ptr<steps> lowered;
    int alone_first = 0; // the first result of the node that ran alone before this piece
    std::map<std::string, std::unique_ptr<segment>> next;
};

} // namespace dnnl_onnx
