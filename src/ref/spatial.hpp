// SPDX-License-Identifier: Apache-2.0
// Positions with spatial dimensions, and which outputs an element of a window combines with which
// inputs: input = output * S + offset with offset = k * (D + 1) - P, for each spatial dimension.
#pragma once

#include <algorithm>

#include "common/layout/memory_desc.hpp"

namespace dnnl::impl::ref {

/// The position [n, c, (d, (h,)) w] in a tensor with so many spatial dimensions; the rest is 0.
inline dims_t spatial_position(int spatial_ndims, dim_t n, dim_t c, dim_t d, dim_t h, dim_t w) {
    dims_t position {n, c};
    int next = 2;
    if (spatial_ndims >= 3) position[next++] = d;
    if (spatial_ndims >= 2) position[next++] = h;
    if (spatial_ndims >= 1) position[next] = w;
    return position;
}

/// The indices d, h and w of a position; 0 for those that its tensor lacks.
struct spatial_indices {
    dim_t d = 0, h = 0, w = 0;
    /// `first` is the number of dimensions before the spatial ones.
    spatial_indices(const dims_t &position, int spatial_ndims, int first = 2) {
        const auto at = std::size_t(first + spatial_ndims);
        if (spatial_ndims >= 1) w = position[at - 1];
        if (spatial_ndims >= 2) h = position[at - 2];
        if (spatial_ndims >= 3) d = position[at - 3];
    }
};

struct range {
    dim_t begin, end;
    dim_t size() const { return end - begin; }
    bool empty() const { return end <= begin; }
};

/// What element k of a kernel adds to output * stride to give the input.
inline dim_t tap_offset(dim_t k, dim_t dilation, dim_t padding) {
    return k * (dilation + 1) - padding;
}

/// The outputs o in `outputs` whose input o * S + offset lies in `inputs`.
inline range outputs_within(range inputs, dim_t offset, dim_t S, range outputs) {
    const auto at_least = [&](dim_t input) { // the smallest o >= 0 with o * S + offset >= input
        return input <= offset ? 0 : div_up(input - offset, S);
    };
    const dim_t begin = std::max(outputs.begin, at_least(inputs.begin));
    return {begin, std::max(begin, std::min(outputs.end, at_least(inputs.end)))};
}

/// The output o in [0, O) with o * S + offset = input; -1 when there is none.
inline dim_t output_at(dim_t input, dim_t offset, dim_t S, dim_t O) {
    const dim_t distance = input - offset;
    if (distance < 0 || distance % S != 0) return -1;
    return distance / S < O ? distance / S : -1;
}

/// The element (kd, kh, kw) of a kernel combines `count` elements of a row with as many of another
/// tensor. `first` is the place of the first of these in the row, (d, h, w) the spatial position of
/// its partner. Along w, inputs are SW apart, and outputs 1.
struct tap {
    dim_t kd, kh, kw, d, h, w, first, count;
};

/// Calls body(tap) for every element of the kernel that combines anything with the row of `count`
/// elements from `at` on along the last dimension. Forward it is a row of outputs, which are
/// combined with inputs; backward a row of inputs.
template <bool IsBackward, class Shape, class Body>
void for_each_tap(const Shape &s, const dims_t &at, dim_t count, const Body &body) {
    const spatial_indices x(at, s.spatial_ndims);
    const range row {x.w, x.w + count};
    for (dim_t kd = 0; kd < s.KD; ++kd)
        for (dim_t kh = 0; kh < s.KH; ++kh)
            for (dim_t kw = 0; kw < s.KW; ++kw) {
                const dim_t offset_d = tap_offset(kd, s.DD, s.PD);
                const dim_t offset_h = tap_offset(kh, s.DH, s.PH);
                const dim_t offset_w = tap_offset(kw, s.DW, s.PW);
                if constexpr (IsBackward) {
                    const dim_t od = output_at(x.d, offset_d, s.SD, s.OD);
                    const dim_t oh = output_at(x.h, offset_h, s.SH, s.OH);
                    const range ow = outputs_within(row, offset_w, s.SW, {0, s.OW});
                    if (od < 0 || oh < 0 || ow.empty()) continue;
                    const dim_t first = ow.begin * s.SW + offset_w - x.w;
                    body(tap {kd, kh, kw, od, oh, ow.begin, first, ow.size()});
                } else {
                    const dim_t id = x.d * s.SD + offset_d, ih = x.h * s.SH + offset_h;
                    const range ow = outputs_within({0, s.IW}, offset_w, s.SW, row);
                    if (id < 0 || id >= s.ID || ih < 0 || ih >= s.IH || ow.empty()) continue;
                    const dim_t iw = ow.begin * s.SW + offset_w;
                    body(tap {kd, kh, kw, id, ih, iw, ow.begin - x.w, ow.size()});
                }
            }
}

} // namespace dnnl::impl::ref
