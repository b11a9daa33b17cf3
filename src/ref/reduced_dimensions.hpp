// SPDX-License-Identifier: Apache-2.0
// Walks over the dimensions of one tensor that another has reduced to 1.
#pragma once

#include "common/layout/memory_desc.hpp"

namespace dnnl::impl::ref {

/// Calls body(position) for every position of `whole` in the dimensions where `kept` has another
/// extent (1), but `dim`, which stays as in `at` like all other dimensions. Row-major.
template <class Body>
void for_each_reduced(
    const memory_desc &whole, const memory_desc &kept, dims_t at, int dim, const Body &body) {
    if (whole.has_zero_dim()) return;
    for (;;) {
        body(at);
        int d = whole.ndims - 1;
        for (; d >= 0; --d) {
            if (d == dim || whole.dims[d] == kept.dims[d]) continue;
            if (++at[d] < whole.dims[d]) break;
            at[d] = 0;
        }
        if (d < 0) return;
    }
}

} // namespace dnnl::impl::ref
