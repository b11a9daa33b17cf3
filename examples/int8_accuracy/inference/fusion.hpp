// SPDX-License-Identifier: Apache-2.0
// Which layers of a network one primitive computes.
#pragma once

#include "../networks/network.hpp"

namespace int8_accuracy {

/// One primitive, or the few that make up a layer.
struct fused_step {
    int first = 0;       // the layer that it begins with
    int addend = -1;     // the layer whose result is added, if an add is part of it
    int activation = -1; // the relu or gelu that is part of it
    int last = 0;        // the layer whose result it gives
};

/// The steps of a network without normalizations, in an order in which each reads results of
/// earlier ones. A convolution or dense layer takes in an add that reads it, and then a relu or
/// gelu, where nothing else reads what is between them. The order does not depend on formats.
/// Throws std::invalid_argument if there is a layer of kind normalization.
std::vector<fused_step> fused_steps(const network &net);

/// The layers whose results the step reads: of its first layer, and the addend.
std::vector<int> sources_of(const network &net, const fused_step &step);

} // namespace int8_accuracy
