// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace dnnl_onnx {

/// What is wrong with a model, an input or a command, in one line for the user.
struct error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// An operator, a type or a form of an operator that this program does not have. `what` is the
/// short name under which the node tests count it.
struct unsupported : error {
    using error::error;
};

} // namespace dnnl_onnx
