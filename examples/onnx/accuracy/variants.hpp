// SPDX-License-Identifier: Apache-2.0
// One model in the types whose results are compared.
#pragma once

#include "../network.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace accuracy {

/// "f32", "bf16", "f16", "int8 min-max", "int8 percentile", "int8 least-squares",
/// "int8 divergence".
const std::vector<std::string> &variant_names();

/// The name of a model's first input.
std::string first_input_of(const std::filesystem::path &file);

/// The elements of a result. Throws `error` where it is not `count` numbers of f32.
const float *floats_of(const dnnl_onnx::tensor &result, std::int64_t count);

/// A model as each of the variants; f32 comes first. `inputs`, for calibration, are inputs of the
/// model, one after the other.
class variants {
  public:
    variants(const std::filesystem::path &file, std::vector<std::string> names,
        const std::vector<dnnl_onnx::named_tensors> &inputs,
        const std::vector<std::string> &keep = {});

    const std::vector<std::string> &names() const { return names_; }
    dnnl_onnx::network &of(std::size_t variant) { return *networks_[variant]; }

  private:
    std::vector<std::string> names_;
    std::vector<std::unique_ptr<dnnl_onnx::network>> networks_;
};

} // namespace accuracy
