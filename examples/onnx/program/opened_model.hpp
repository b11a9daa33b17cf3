// SPDX-License-Identifier: Apache-2.0
// What run and bench begin with, and how they name layouts.
#pragma once

#include "../network.hpp"
#include "commands.hpp"

#include <memory>

namespace dnnl_onnx {

/// The model in the type that is wanted, and its inputs.
struct opened_model {
    std::unique_ptr<network> net;
    named_tensors given;
    network_options options; // of the network

    explicit opened_model(const command_options &from);
};

/// The results of a step, or its sources, as layouts.
std::string layouts(const step &s, bool results);

} // namespace dnnl_onnx
