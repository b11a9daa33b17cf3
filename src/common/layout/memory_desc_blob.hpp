// SPDX-License-Identifier: Apache-2.0
// A memory descriptor as bytes of fixed size, and back; the bytes may come from anywhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/layout/memory_desc.hpp"

namespace dnnl::impl {

/// Bytes of every blob.
std::size_t blob_bytes();

/// Writes blob_bytes() bytes; the same fields give the same bytes.
void write_blob(const memory_desc &md, std::uint8_t *blob);

/// Reads the header (16 bytes) first and the rest only when the header is one of ours. Throws
/// error(invalid_arguments) unless the bytes are intact and describe a tensor that the other
/// functions of creation could have made.
memory_desc read_blob(const std::uint8_t *blob);

} // namespace dnnl::impl
