// SPDX-License-Identifier: Apache-2.0
// ResNet-50 (He et al., 2015), version 1.5: the 3 x 3 convolution of a block has the stride.
#include "networks.hpp"

namespace topologies {
namespace {

/// 1 x 1, 3 x 3 and 1 x 1 to four times the channels, added to what the block reads, which a 1 x 1
/// convolution brings to the shape where it differs.
int block(graph &g, int x, dim channels, dim stride) {
    const int narrow = g.convolve(x, channels, same(1), {.after = activation::relu});
    const int middle = g.convolve(narrow, channels, same(3, stride), {.after = activation::relu});
    const bool differs = stride != 1 || g.layers[std::size_t(x)].shape[1] != 4 * channels;
    const int beside = differs ? g.convolve(x, 4 * channels, same(1, stride)) : x;
    return g.convolve(
        middle, 4 * channels, same(1), {.after = activation::relu, .addend = beside, .gain = .5f});
}

} // namespace

graph resnet50(const network_size &size) {
    graph g("resnet50", "images", size.batch);
    const dim side = size.image ? size.image : size.quick ? 64 : 224;
    int x = g.input({size.batch, 3, side, side});
    x = g.convolve(x, 64, same(7, 2), {.after = activation::relu});
    x = g.maximum(x, same(3, 2));
    const int blocks[] = {3, 4, 6, 3};
    for (int stage = 0; stage < 4; ++stage) {
        const int count = size.quick ? 1 + stage % 2 : blocks[stage];
        for (int i = 0; i < count; ++i)
            x = block(g, x, dim(64) << stage, stage > 0 && i == 0 ? 2 : 1);
    }
    g.dense(g.average(x), 1000, {.real = true});
    return g;
}

} // namespace topologies
