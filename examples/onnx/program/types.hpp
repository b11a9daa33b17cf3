// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../network.hpp"
#include "commands.hpp"

namespace dnnl_onnx {

/// The options of a network that works in f32, bf16, f16 or int8. int8 is calibrated on the inputs
/// of
/// --calibration, or on the inputs of the command where there are none.
network_options options_of(
    const command_options &options, const std::string &type, const named_tensors &given);

} // namespace dnnl_onnx
