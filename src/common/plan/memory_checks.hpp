// SPDX-License-Identifier: Apache-2.0
// What a memory must be to be passed to an execution.
#pragma once

#include <string>

#include "common/attributes/attributes.hpp"

namespace dnnl::impl {

/// Why a memory with the descriptor `actual` cannot stand where a primitive reads or writes by the
/// descriptor `expected`, both in words; empty when it can. Refused are another data type, equal
/// dims whose elements lie elsewhere and a buffer that ends before the last element. Other dims are
/// a view of the buffer that the caller answers for: the memory of a parent for a submemory, {1, C}
/// for {C}. With ONEDNN_STRICT_MEMORY=1 every difference is refused. Both are concrete.
std::string memory_mismatch(const memory_desc &expected, const memory_desc &actual);

/// Why a memory cannot hold the scales or zero points of a tensor (null: one value), both shapes in
/// words; empty when it can: plain, dense row-major, its dims other than 1 those of value_dims(),
/// or all values in one dimension.
std::string values_mismatch(
    const quantization &q, const memory_desc *tensor, const memory_desc &actual);

/// Why a memory cannot hold the weights of a prelu post-op on dst; empty when it can: plain, its
/// dims other than 1 those of dst that the mask names, in their order.
std::string slopes_mismatch(int mask, const memory_desc &dst, const memory_desc &actual);

} // namespace dnnl::impl
