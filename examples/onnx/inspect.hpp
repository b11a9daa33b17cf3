// SPDX-License-Identifier: Apache-2.0
// What steps compute, seen from outside: for calibration and for comparisons.
#pragma once

#include "network.hpp"

namespace dnnl_onnx {

/// The numbers of a step's result, or of the source of a product, as dense f32. It is called behind
/// the step, while its memory holds them. Empty where there is none of a type that the library has.
tensor result_of(const network &net, const steps &program, std::size_t step);
tensor source_of(const network &net, const steps &program, std::size_t step);

/// Histograms of the sources of products, by the names of the values.
class calibrator {
  public:
    /// Runs the network, which works in f32, and adds what its products take.
    void add(network &net, const named_tensors &given);
    /// How products take their sources, by a rule.
    quantizers result(calibration::range_rule rule) const;

  private:
    std::map<std::string, calibration::collector> seen_;
};

} // namespace dnnl_onnx
