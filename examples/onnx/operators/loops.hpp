// SPDX-License-Identifier: Apache-2.0
// Ways through dense tensors that many operators share.
#pragma once

#include "operator.hpp"

#include <array>
#include <utility>

namespace dnnl_onnx {

/// Steps between neighbours along each dimension of a dense tensor, in elements.
extents strides_of(const extents &dims);

/// The extents that tensors of these extents are broadcast to, by numpy's rules. Throws where they
/// do not fit, naming the node.
extents broadcast(const op_context &c, const extents &a, const extents &b);

/// The strides by which a tensor of extents `from` is read while one of extents `to` is walked: 0
/// along the dimensions that are broadcast.
extents broadcast_strides(const extents &from, const extents &to);

/// Calls body(offset_0, offset_1, ...) for each element of a tensor of extents `dims`, in order:
/// the offsets that each of the lists of strides gives it.
template <std::size_t N, class F>
void for_each_offset(const extents &dims, const std::array<extents, N> &strides, F &&body) {
    const std::size_t rank = dims.size();
    if (count_of(dims) == 0) return;
    std::array<std::int64_t, N> at {};
    const auto call = [&]<std::size_t... I>(std::index_sequence<I...>) { body(at[I]...); };
    extents index(rank);
    for (;;) {
        call(std::make_index_sequence<N>());
        std::size_t d = rank;
        for (; d > 0; --d) {
            for (std::size_t n = 0; n < N; ++n) at[n] += strides[n][d - 1];
            if (++index[d - 1] < dims[d - 1]) break;
            for (std::size_t n = 0; n < N; ++n) at[n] -= strides[n][d - 1] * dims[d - 1];
            index[d - 1] = 0;
        }
        if (d == 0) return;
    }
}

/// The extents before an axis, along it, and behind it: a tensor as outer x extent x inner.
struct axis_view {
    std::int64_t outer, extent, inner;
};
axis_view around(const extents &dims, int axis);

} // namespace dnnl_onnx
