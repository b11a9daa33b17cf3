// SPDX-License-Identifier: Apache-2.0
// From TensorProto to tensors. Only the reader includes this: it needs protobuf.
#pragma once

#include "tensor.hpp"

#include <onnx/onnx.pb.h>

#include <filesystem>

namespace dnnl_onnx {

/// `folder` is where data in other files lies. Throws `error` where the bytes do not fit the
/// extents, and `unsupported` for strings, complex numbers and sparse tensors.
tensor tensor_from(const onnx::TensorProto &from, const std::filesystem::path &folder);

} // namespace dnnl_onnx
