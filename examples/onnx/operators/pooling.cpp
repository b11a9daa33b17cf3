// SPDX-License-Identifier: Apache-2.0
// The extents of pooling and of the normalization across channels, which primitives compute.
// Maxima whose places are wanted, or of bytes with pads, are looked for here.
#include "loops.hpp"
#include "tables.hpp"
#include "window.hpp"

#include <algorithm>
#include <limits>

namespace dnnl_onnx {

namespace {

extents pooled(const op_context &c, const window &w) {
    extents to {c.dims(0)[0], c.dims(0)[1]};
    for (std::int64_t extent : w.result(spatial(c.dims(0)))) to.push_back(extent);
    return to;
}

/// One plane's maxima; `places` (may be null) receives where each lies in the plane, whose elements
/// are numbered along the last dimension first, or along the first where `columns` is set.
template <class T> struct plane_maxima {
    const window &w;
    extents image, result, strides, numbering;

    void find(const T *from, T *to, std::int64_t *places, std::int64_t first) const {
        for_each_offset(result, std::array {strides_of(result)}, [&](std::int64_t at) {
            extents corner(image.size());
            std::int64_t rest = at;
            for (std::size_t d = image.size(); d-- > 0; rest /= result[d])
                corner[d] = rest % result[d] * w.strides[d] - w.begin[d];
            scan(from, corner, to[at], places ? places + at : nullptr, first);
        });
    }

    void scan(const T *from, const extents &corner, T &largest, std::int64_t *place,
        std::int64_t first) const {
        bool found = false;
        for_each_offset(w.kernel, std::array {strides_of(w.kernel)}, [&](std::int64_t tap) {
            std::int64_t offset = 0, number = first;
            for (std::size_t d = image.size(); d-- > 0; tap /= w.kernel[d]) {
                const std::int64_t x = corner[d] + tap % w.kernel[d] * w.dilations[d];
                if (x < 0 || x >= image[d]) return;
                offset += x * strides[d];
                number += x * numbering[d];
            }
            if (found && !(from[offset] > largest)) return;
            found = true;
            largest = from[offset];
            if (place) *place = number;
        });
    }
};

host_step max_pool(op_context &c) {
    const extents image = spatial(c.dims(0));
    const window w = window_of(c, image, {});
    const extents to = pooled(c, w);
    c.output(0, c.in(0).type, to);
    c.output(1, element_type::s64, to);
    if (!c.wants(1) && c.in(0).type == element_type::f32) return {};
    extents numbering = strides_of(image);
    if (c.integer("storage_order", 0)) {
        std::int64_t step = 1;
        for (std::size_t d = 0; d < image.size(); step *= image[d++]) numbering[d] = step;
    }
    return [w, image, numbering](views in, views out) {
        with_number(in[0].type->type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            const plane_maxima<T> maxima {
                w, image, spatial(out[0].dims()), strides_of(image), numbering};
            const std::int64_t from = count_of(image), to = count_of(maxima.result);
            const std::int64_t planes = in[0].dims()[0] * in[0].dims()[1];
            const bool places = out.size() > 1 && out[1];
            for (std::int64_t p = 0; p < planes; ++p)
                maxima.find(in[0].data<T>() + p * from, out[0].data<T>() + p * to,
                    places ? out[1].data<std::int64_t>() + p * to : nullptr, p * from);
        });
    };
}

host_step average_pool(op_context &c) {
    c.output(0, c.in(0).type, pooled(c, window_of(c, spatial(c.dims(0)), {})));
    return {};
}

host_step global_pool(op_context &c) {
    extents to = c.dims(0);
    if (to.size() < 3) c.fail("its input has no spatial dimensions: " + text_of(to));
    std::fill(to.begin() + 2, to.end(), 1);
    c.output(0, c.in(0).type, to);
    return {};
}

host_step same_extents(op_context &c) {
    if (c.rank(0) < 2) c.fail("its input has no channels: " + text_of(c.dims(0)));
    c.output(0, c.in(0).type, c.dims(0));
    return {};
}

} // namespace

operator_table pooling_operators() {
    static const operator_entry table[] = {
        {"AveragePool", average_pool},
        {"GlobalAveragePool", global_pool},
        {"GlobalMaxPool", global_pool},
        {"LRN", same_extents},
        {"MaxPool", max_pool},
    };
    return table;
}

} // namespace dnnl_onnx
