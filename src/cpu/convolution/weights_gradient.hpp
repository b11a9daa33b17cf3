// SPDX-License-Identifier: Apache-2.0
// What the rows of convolution backward weights share: which problems they take, and how many
// partial sums over pixels they make.
#pragma once

#include "common/descriptors/problem.hpp"

namespace dnnl::impl::cpu {

/// Null when rows that need problem.target take the types and attributes, else the reason.
const char *weights_gradient_refusal(const problem &p);

/// Chunks of the pixels, at most `most`: several only where few sums make them cheap.
dim_t weights_gradient_chunks(dim_t sums, dim_t pixels, dim_t most = 8);

} // namespace dnnl::impl::cpu
