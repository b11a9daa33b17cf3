// SPDX-License-Identifier: Apache-2.0
// Primitives of the layers without weights, and of layer normalization.
#pragma once

#include "stored_values.hpp"

namespace int8_accuracy {

/// Adds the primitives of layer l, whose result has the given form. A maximum reads and gives the
/// same form; the others read floating-point numbers of the result's type.
void add_plain_layer(
    stored_values &values, int l, const layer_parameters &learned, const stored_form &form);

} // namespace int8_accuracy
