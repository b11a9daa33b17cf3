// SPDX-License-Identifier: Apache-2.0
// The elements of a blocked layout between dims and padded_dims.
#pragma once

#include "common/layout/memory_desc.hpp"

namespace dnnl::impl {

/// Zeroes the padding of a tensor. A null buffer and layouts without padding stay as they are.
void zero_padding(const memory_desc &md, void *data);

} // namespace dnnl::impl
