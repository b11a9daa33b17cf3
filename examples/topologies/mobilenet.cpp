// SPDX-License-Identifier: Apache-2.0
// MobileNet-v2 (Sandler et al., 2018), width 1.
#include "networks.hpp"

namespace topologies {
namespace {

/// Widened by 1 x 1, filtered channel by channel, and narrowed without an activation.
int block(graph &g, int x, dim widening, dim channels, dim stride) {
    const dim from = g.layers[std::size_t(x)].shape[1], wide = from * widening;
    int inner = x;
    if (widening > 1) inner = g.convolve(x, wide, same(1), {.after = activation::relu6});
    inner = g.convolve(inner, wide, same(3, stride), {.after = activation::relu6, .groups = wide});
    const bool adds = stride == 1 && from == channels;
    return g.convolve(
        inner, channels, same(1), {.addend = adds ? x : -1, .gain = adds ? .7f : 1.4f});
}

} // namespace

graph mobilenet(const network_size &size) {
    graph g("mobilenet-v2", "images", size.batch);
    const dim side = size.image ? size.image : size.quick ? 64 : 224;
    const struct {
        dim widening, channels;
        int blocks;
        dim stride;
    } stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1},
        {6, 160, 3, 2}, {6, 320, 1, 1}};
    int x = g.input({size.batch, 3, side, side});
    x = g.convolve(x, 32, same(3, 2), {.after = activation::relu6});
    for (const auto &s : stages) {
        const int count = size.quick && s.blocks > 2 ? 2 : s.blocks;
        for (int i = 0; i < count; ++i) x = block(g, x, s.widening, s.channels, i ? 1 : s.stride);
    }
    x = g.convolve(x, 1280, same(1), {.after = activation::relu6});
    g.dense(g.average(x), 1000, {.real = true});
    return g;
}

} // namespace topologies
