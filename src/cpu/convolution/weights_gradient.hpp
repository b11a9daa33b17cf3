// SPDX-License-Identifier: Apache-2.0
// What the rows of convolution backward weights share: which problems they take, and sums over
// pixels that are cut into chunks by shape alone and added in order.
#pragma once

#include "common/descriptors/problem.hpp"

namespace dnnl::impl::cpu {

/// Null when rows that need problem.target take the types and attributes, else the reason.
const char *weights_gradient_refusal(const problem &p);

/// Chunks of the pixels, at most `most`: several only where few sums make them cheap.
dim_t weights_gradient_chunks(dim_t sums, dim_t pixels, dim_t most = 8);

/// The sums of every chunk of pixels. Those of the first are the result.
struct chunked_sums {
    f32 *first, *others;
    dim_t size, chunks;

    f32 *of(dim_t chunk) const { return chunk ? others + (chunk - 1) * size : first; }
    /// first += the others, in their order.
    void add_up() const;
};

} // namespace dnnl::impl::cpu
