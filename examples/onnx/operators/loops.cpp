// SPDX-License-Identifier: Apache-2.0
#include "loops.hpp"

#include <algorithm>

namespace dnnl_onnx {

extents strides_of(const extents &dims) {
    extents strides(dims.size());
    std::int64_t step = 1;
    for (std::size_t d = dims.size(); d-- > 0; step *= dims[d]) strides[d] = step;
    return strides;
}

extents broadcast(const op_context &c, const extents &a, const extents &b) {
    extents to(std::max(a.size(), b.size()));
    for (std::size_t d = 0; d < to.size(); ++d) {
        const std::int64_t x = d < a.size() ? a[a.size() - 1 - d] : 1;
        const std::int64_t y = d < b.size() ? b[b.size() - 1 - d] : 1;
        if (x != y && x != 1 && y != 1)
            c.fail("tensors of extents " + text_of(a) + " and " + text_of(b) + " do not fit");
        to[to.size() - 1 - d] = x == 1 ? y : x;
    }
    return to;
}

extents broadcast_strides(const extents &from, const extents &to) {
    extents strides = strides_of(from);
    for (std::size_t d = 0; d < from.size(); ++d)
        if (from[d] == 1) strides[d] = 0;
    strides.insert(strides.begin(), to.size() - from.size(), 0);
    return strides;
}

axis_view around(const extents &dims, int axis) {
    axis_view view {1, 1, 1};
    for (int d = 0; d < int(dims.size()); ++d)
        (d < axis ? view.outer : d == axis ? view.extent : view.inner) *= dims[d];
    return view;
}

} // namespace dnnl_onnx
