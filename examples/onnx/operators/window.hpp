// SPDX-License-Identifier: Apache-2.0
// The windows of convolutions and pooling, from their attributes.
#pragma once

#include "operator.hpp"

namespace dnnl_onnx {

/// Per spatial dimension. Dilations are ONNX's: 1 is none.
struct window {
    extents kernel, strides, dilations, begin, end;
    bool ceil = false; // a last window that passes the end counts, where it begins in the image

    int dims() const { return int(kernel.size()); }
    /// Elements from the first to behind the last tap.
    std::int64_t reach(int d) const { return (kernel[d] - 1) * dilations[d] + 1; }
    /// Extents of the result over an image of these spatial extents.
    extents result(const extents &image) const;
};

/// The window of an operator over an image of `image` spatial extents; `kernel` is that of the
/// weights, empty where the attribute tells it.
window window_of(const op_context &c, const extents &image, extents kernel);

/// The same for a transposed convolution: the pads follow from output_shape or auto_pad; `result`
/// receives the extents of the result.
window transposed_window_of(
    const op_context &c, const extents &image, extents kernel, extents &result);

/// The extents behind the first two.
inline extents spatial(const extents &dims) {
    return dims.size() < 2 ? extents() : extents(dims.begin() + 2, dims.end());
}

} // namespace dnnl_onnx
