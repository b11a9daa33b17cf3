// SPDX-License-Identifier: Apache-2.0
// Positions with spatial dimensions, and which outputs a window element joins to which inputs:
// input = output * S + offset with offset = k * (D + 1) - P, for each spatial dimension.
#pragma once

#include <algorithm>

#include "common/layout/memory_desc.hpp"

namespace dnnl::impl::ref {

/// [n, c, (d, (h,)) w] of a tensor with this number of spatial dimensions; the rest is 0.
inline dims_t spatial_position(int spatial_ndims, dim_t n, dim_t c, dim_t d, dim_t h, dim_t w) {
    dims_t position {n, c};
    int next = 2;
    if (spatial_ndims >= 3) position[next++] = d;
    if (spatial_ndims >= 2) position[next++] = h;
    if (spatial_ndims >= 1) position[next] = w;
    return position;
}

/// d, h and w of a position; 0 for those that its tensor lacks.
struct spatial_indices {
    dim_t d = 0, h = 0, w = 0;
    /// `first` is the number of dimensions before the spatial ones.
    spatial_indices(const dims_t &position, int spatial_ndims, int first = 2) {
        const auto at = static_cast<std::size_t>(first + spatial_ndims);
        if (spatial_ndims >= 1) w = position[at - 1];
        if (spatial_ndims >= 2) h = position[at - 2];
        if (spatial_ndims >= 3) d = position[at - 3];
    }
};

struct range {
    dim_t begin, end;
    dim_t size() const { return end - begin; }
    bool empty() const { return end <= begin; }
    bool contains(dim_t x) const { return x >= begin && x < end; }
};

/// The outputs o of `outputs` with o * S + offset in `inputs`.
inline range outputs_within(range inputs, dim_t offset, dim_t S, range outputs) {
    const auto at_least = [&](dim_t input) { // the smallest o >= 0 with o * S + offset >= input
        return input <= offset ? 0 : div_up(input - offset, S);
    };
    return {std::max(outputs.begin, at_least(inputs.begin)),
        std::min(outputs.end, at_least(inputs.end))};
}

/// The output o in [0, O) with o * S + offset = input; -1 when there is none.
inline dim_t output_at(dim_t input, dim_t offset, dim_t S, dim_t O) {
    const dim_t distance = input - offset;
    if (distance < 0 || distance % S != 0) return -1;
    return distance / S < O ? distance / S : -1;
}

} // namespace dnnl::impl::ref
