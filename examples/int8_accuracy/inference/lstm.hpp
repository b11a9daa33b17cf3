// SPDX-License-Identifier: Apache-2.0
// The primitive of an lstm layer.
#pragma once

#include "products.hpp"

namespace int8_accuracy {

/// Adds it; the states begin with zeros. Integers are those of the library's u8 lstm, where source,
/// states and result share one scale and zero point; its result is u8 with these or f32.
product_facts_of_run add_lstm(stored_values &values, const product_parts &parts,
    const stored_value &source, const stored_value &result);

} // namespace int8_accuracy
