// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../network.hpp"
#include "commands.hpp"

namespace dnnl_onnx {

/// The options of a network that works in f32.
network_options plain_options(const command_options &options);

/// The options of a network that works in f32, bf16, f16 or int8. For int8 `plain`, the model in
/// f32, runs the inputs of --calibration, or those of the command where there are none.
network_options options_of(const command_options &options, const std::string &type, network &plain,
    const named_tensors &given);

} // namespace dnnl_onnx
