// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"

#include <filesystem>
#include <string_view>

namespace dnnl_onnx {

/// Reads a model. Throws `error` with one line that names the file or the node, and what is wrong:
/// no protobuf, no graph, values that nobody makes, cycles, tensors whose bytes do not fit their
/// extents, data in other files that are missing or too short.
model read_model(const std::filesystem::path &file);

/// A model whose data in other files lies in `folder`.
model parse_model(std::string_view bytes, const std::filesystem::path &folder);

/// A tensor from a file of the node tests (TensorProto).
tensor read_tensor(const std::filesystem::path &file);

} // namespace dnnl_onnx
