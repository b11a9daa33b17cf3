// SPDX-License-Identifier: Apache-2.0
// Which products stay in f32 so that a network of 8-bit integers decides as f32 does.
#pragma once

#include "network.hpp"

namespace dnnl_onnx {

/// Percent of the decisions that differ. Where all values lie in [0, 1] and a row along the last
/// dimension does not sum to 1, each value is a decision: whether it is above 0.5. Elsewhere a row
/// is: the place of its largest value.
double changed_decisions(const std::vector<tensor> &wanted, const std::vector<tensor> &found);

struct kept_products {
    std::vector<std::string> nodes; // for number_types::keep
    std::size_t all = 0;            // products that may work in integers
    double changed = 0;             // percent of the decisions over the inputs
};

/// The fewest products, those first whose integers alone make the most noise in the results, so
/// that at most `percent` of the decisions change over the inputs. `options` have the quantizers.
/// It runs the model once per product and some times more; `progress` is called before each with
/// what is done and what there is to do.
kept_products products_to_keep(const model &of, const network_options &options,
    const std::vector<named_tensors> &inputs, double percent,
    const std::function<void(std::size_t, std::size_t)> &progress = {});

} // namespace dnnl_onnx
