// SPDX-License-Identifier: Apache-2.0
// Sum: its descriptor, checked (specification: "Sum").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// dst = sum over i of scales[i] * srcs[i], i < n. dst may be null or empty: then it has the dims
/// and type of srcs[0], layout `any`. Throws error(invalid_arguments) where dims disagree.
sum_desc make_sum_desc(
    const memory_desc *dst, int n, const float *scales, const memory_desc *const *srcs);

} // namespace dnnl::impl
