// SPDX-License-Identifier: Apache-2.0
// numpy's files of one array.
#pragma once

#include "../model/tensor.hpp"

#include <filesystem>

namespace dnnl_onnx {

/// Reads an array in C order whose elements lie in the order of this machine's bytes.
tensor read_npy(const std::filesystem::path &file);
/// Writes the file as a whole: under another name first, so that a failure leaves no half of it.
void write_npy(const std::filesystem::path &file, const tensor &array);

} // namespace dnnl_onnx
