// SPDX-License-Identifier: Apache-2.0
// Inputs of a model as the command line names them.
#pragma once

#include "../network.hpp"
#include "png.hpp"

namespace dnnl_onnx {

/// NAME=FILE.npy, NAME=random[:SEED], NAME=random:2x3x48x320[:SEED], NAME=16000 (an integer or a
/// number; a scalar, or one element where the model has one dimension). Without NAME= the first
/// input. Inputs that are not named are random where the model tells all extents, and an error
/// otherwise.
named_tensors inputs_of(
    const network &of, const std::vector<std::string> &texts, const pixel_scaling &scaling = {});

/// Uniform in [-1, 1): a 64-bit state x' = 6364136223846793005 x + 1442695040888963407, of whose
/// upper 24 bits the value is made, so that other languages can repeat it.
tensor random_tensor(const tensor_type &type, std::uint64_t seed);

} // namespace dnnl_onnx
