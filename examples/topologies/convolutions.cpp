// SPDX-License-Identifier: Apache-2.0
// Layers of images.
#include "builder.hpp"

namespace topologies {

using dnnl::algorithm;
using dnnl::prop_kind;
using tag = memory::format_tag;

void builder::convolve(layer_weights &w, dim first, dim count, const memory &dst) {
    const layer &l = current();
    const auto [src, src_form] = operand(source());
    const dim G = l.more.groups, inputs = at(source()).shape[1] / G;
    const dim columns = inputs * l.over.height * l.over.width;
    dims shape {count / G, inputs, l.over.height, l.over.width};
    if (G > 1) shape.insert(shape.begin(), G);
    float *values = w.values.data() + first * columns;
    const memory plain({shape, dt::f32, G > 1 ? tag::goihw : tag::oihw}, engine_, values);
    const auto some = [&](const std::vector<float> &of) {
        return of.empty() ? of : std::vector<float>(of.begin() + first, of.begin() + first + count);
    };
    recipe r;
    const int mask = G > 1 ? 3 : 1;
    const memory scales = vector(scales_of_rows(values, count, columns));
    scale(r, DNNL_ARG_SRC, src_form);
    scale(r, DNNL_ARG_DST, form_of(now_));
    scale_weights(r, mask, scales);
    finish(r, dst, some(w.slopes));
    const dims strides {l.over.stride, l.over.stride},
        padding {l.over.pad_height, l.over.pad_width};
    const dnnl::convolution_forward::primitive_desc pd(engine_, prop_kind::forward_inference,
        algorithm::convolution_direct, src.get_desc(), {shape, weights_type(), tag::any},
        {{count}, dt::f32, tag::x}, dst.get_desc(), strides, padding, padding, r.attr);
    r.args[DNNL_ARG_SRC] = src;
    r.args[DNNL_ARG_WEIGHTS] = packed(plain, pd.weights_desc(), mask, scales);
    r.args[DNNL_ARG_BIAS] = vector(some(w.bias));
    r.args[DNNL_ARG_DST] = dst;
    step_of<dnnl::convolution_forward>(
        l.depthwise() ? "depthwise convolution" : "convolution", pd, std::move(r.args));
}

void builder::add_convolution() {
    layer_weights w = random_weights(g_, now_);
    convolve(w, 0, current().shape[1], result());
}

/// out[c][2 h + dy][2 w + dx] = in[c + (2 dy + dx) C][h][w]: a convolution for each quarter of
/// the channels into its pixels, or one convolution and a reorder.
void builder::add_shuffled() {
    layer_weights w = random_weights(g_, now_);
    const dims &shape = current().shape;
    const dim N = shape[0], C = shape[1], H = shape[2] / 2, W = shape[3] / 2;
    const dt type = form_of(now_).type;
    const auto size = dim(memory::data_type_size(type));
    char *begin = static_cast<char *>(result().get_data_handle());
    for (dim q = 0; q < 4 && fuses_shuffles_; ++q) {
        const memory::desc every_second({N, C, H, W}, type, {4 * H * W * C, 1, 4 * W * C, 2 * C});
        convolve(w, q * C, C, {every_second, engine_, begin + (q / 2 * 2 * W + q % 2) * C * size});
    }
    if (fuses_shuffles_) return;
    void *apart = to_.arena_.take(std::size_t(4 * N * C * H * W * size), now_, now_);
    convolve(w, 0, 4 * C, {image_desc({N, 4 * C, H, W}, type, 4 * C), engine_, apart});
    const dims taps {2, 2, C, N * H, W};
    copy({{taps, type, {2 * C, C, 1, W * 4 * C, 4 * C}}, engine_, apart},
        {{taps, type, {2 * W * C, C, 1, 4 * W * C, 2 * C}}, engine_, begin});
}

void builder::add_pooling(algorithm how) {
    const layer &l = current();
    const memory src = to_.results_.at(source());
    const dims padding {l.over.pad_height, l.over.pad_width}, stride {l.over.stride, l.over.stride};
    step_of<dnnl::pooling_forward>("pooling",
        {engine_, prop_kind::forward_inference, how, src.get_desc(), result().get_desc(), stride,
            {l.over.height, l.over.width}, {0, 0}, padding, padding},
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, result()}});
}

} // namespace topologies
