// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"

#include <set>

namespace dnnl_onnx {

/// Puts the nodes of a graph, and of the bodies in it, behind those whose values they take, and
/// keeps their order otherwise. Throws `error` where a value is made twice or by nobody, or where
/// nodes wait for each other.
void put_in_order(graph &of);

/// The names of values that a body takes from the graphs around it.
std::set<std::string> captured_names(const graph &body);

} // namespace dnnl_onnx
