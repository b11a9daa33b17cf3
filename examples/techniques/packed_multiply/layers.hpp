// SPDX-License-Identifier: Apache-2.0
// Layers on packed multiplications beside the library's.
#pragma once

#include "../claims.hpp"

namespace packed_multiply {

/// Fully connected layers by pairs of outputs, which share an input, and convolutions by pairs of
/// pixels, which share a weight: equal to the library's sums, also for odd numbers of both.
void check_layers(techniques::claims &c);

} // namespace packed_multiply
