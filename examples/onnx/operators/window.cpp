// SPDX-License-Identifier: Apache-2.0
#include "window.hpp"

#include <algorithm>

namespace dnnl_onnx {

namespace {

void check_length(const op_context &c, const char *name, const extents &list, std::size_t length) {
    if (list.size() != length)
        c.fail(std::string("its attribute ") + name + " has " + std::to_string(list.size()) +
               " numbers instead of " + std::to_string(length));
}

window window_without_pads(const op_context &c, const extents &image, extents kernel) {
    const std::size_t n = image.size();
    window w;
    w.kernel = c.integers("kernel_shape", std::move(kernel));
    check_length(c, "kernel_shape", w.kernel, n);
    w.strides = c.integers("strides", extents(n, 1));
    check_length(c, "strides", w.strides, n);
    w.dilations = c.integers("dilations", extents(n, 1));
    check_length(c, "dilations", w.dilations, n);
    for (std::size_t d = 0; d < n; ++d)
        if (w.kernel[d] < 1 || w.strides[d] < 1 || w.dilations[d] < 1)
            c.fail("its windows have a kernel, strides or dilations below 1");
    w.ceil = c.integer("ceil_mode", 0) != 0;
    return w;
}

void take_pads(const op_context &c, window &w) {
    const std::size_t n = w.kernel.size();
    const extents pads = c.integers("pads", extents(2 * n, 0));
    check_length(c, "pads", pads, 2 * n);
    w.begin.assign(pads.begin(), pads.begin() + n);
    w.end.assign(pads.begin() + n, pads.end());
}

} // namespace

extents window::result(const extents &image) const {
    extents to(image.size());
    for (int d = 0; d < dims(); ++d) {
        const std::int64_t free = image[d] + begin[d] + end[d] - reach(d);
        to[d] = free < 0 ? 0 : free / strides[d] + 1;
        const bool rest = free >= 0 && free % strides[d] != 0;
        if (ceil && rest && to[d] * strides[d] < image[d] + begin[d]) ++to[d];
    }
    return to;
}

window window_of(const op_context &c, const extents &image, extents kernel) {
    window w = window_without_pads(c, image, std::move(kernel));
    const std::string automatic = c.text("auto_pad", "NOTSET");
    if (automatic == "NOTSET") {
        take_pads(c, w);
        return w;
    }
    w.begin = w.end = extents(image.size(), 0);
    if (automatic == "VALID") return w;
    if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER")
        c.fail("its attribute auto_pad is '" + automatic + "'");
    for (int d = 0; d < w.dims(); ++d) {
        const std::int64_t result = (image[d] + w.strides[d] - 1) / w.strides[d];
        const std::int64_t pad =
            std::max<std::int64_t>(0, (result - 1) * w.strides[d] + w.reach(d) - image[d]);
        (automatic == "SAME_UPPER" ? w.begin : w.end)[d] = pad / 2;
        (automatic == "SAME_UPPER" ? w.end : w.begin)[d] = pad - pad / 2;
    }
    return w;
}

window transposed_window_of(
    const op_context &c, const extents &image, extents kernel, extents &result) {
    window w = window_without_pads(c, image, std::move(kernel));
    const std::size_t n = image.size();
    const extents more = c.integers("output_padding", extents(n, 0));
    check_length(c, "output_padding", more, n);
    const std::string automatic = c.text("auto_pad", "NOTSET");
    extents whole(n); // the result without pads
    for (std::size_t d = 0; d < n; ++d)
        whole[d] = w.strides[d] * (image[d] - 1) + more[d] + w.reach(int(d));
    const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    if (!c.has_attribute("output_shape") && !same) {
        take_pads(c, w);
        if (automatic == "VALID") w.begin = w.end = extents(n, 0);
        result.resize(n);
        for (std::size_t d = 0; d < n; ++d) result[d] = whole[d] - w.begin[d] - w.end[d];
        return w;
    }
    extents wanted = c.integers("output_shape", {});
    if (wanted.empty())
        for (std::size_t d = 0; d < n; ++d) wanted.push_back(image[d] * w.strides[d]);
    if (wanted.size() > n) wanted.erase(wanted.begin(), wanted.end() - std::ptrdiff_t(n));
    check_length(c, "output_shape", wanted, n);
    w.begin.resize(n);
    w.end.resize(n);
    for (std::size_t d = 0; d < n; ++d) {
        const std::int64_t pad = whole[d] - wanted[d];
        if (pad < 0) { // the result has more: behind the last element
            w.begin[d] = 0;
            w.end[d] = pad;
            continue;
        }
        (automatic == "SAME_UPPER" ? w.begin : w.end)[d] = pad / 2;
        (automatic == "SAME_UPPER" ? w.end : w.begin)[d] = pad - pad / 2;
    }
    result = wanted;
    return w;
}

} // namespace dnnl_onnx
