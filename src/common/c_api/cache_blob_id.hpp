// SPDX-License-Identifier: Apache-2.0
// Bytes that identify the operation of a primitive descriptor (specification: "Primitive Cache").
#pragma once

#include <cstdint>
#include <vector>

#include "common/primitive_desc.hpp"

namespace dnnl::impl {

/// Library version, implementation, tensors with their chosen layouts, parameters and attributes.
/// Equal operations give equal bytes, in any process of the same build.
std::vector<std::uint8_t> cache_blob_id(const primitive_desc &pd);

} // namespace dnnl::impl
