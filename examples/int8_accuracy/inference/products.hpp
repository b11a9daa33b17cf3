// SPDX-License-Identifier: Apache-2.0
// Primitives of the layers that multiply by weights.
#pragma once

#include "stored_values.hpp"

namespace int8_accuracy {

/// What a product is made from.
struct product_parts {
    const layer &of;
    const layer_parameters &learned;
    const layer_format &format;
    const input_moments &moments; // of tuned rounding
    const number_grid &grid;      // of the source
};

struct product_facts_of_run {
    std::string implementation;
    double weight_bytes = 0; // weights, their scales, and bias
};

/// What happens to the result before it is stored.
struct epilogue {
    dnnl::post_ops ops;
    program::arguments arguments; // of the ops
};

/// Adds the primitive. `source` has the type of a real format or is f32, `result` is f32 or what
/// plan_storage() allows. Throws dnnl::error if the library has no such primitive.
product_facts_of_run add_product(stored_values &values, const product_parts &parts,
    const stored_value &source, const stored_value &result, const epilogue &after);

} // namespace int8_accuracy
