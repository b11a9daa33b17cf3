// SPDX-License-Identifier: Apache-2.0
// Inception-ResNet-v2 (Szegedy et al., 2016), with the shapes of its published weights.
#include "networks.hpp"

#include <stdexcept>

namespace topologies {
namespace {

struct branch_step {
    dim channels;
    window over;
};

/// Convolutions one after the other, each with a relu.
int branch(graph &g, int x, const std::vector<branch_step> &steps) {
    for (const branch_step &s : steps)
        x = g.convolve(x, s.channels, s.over, {.after = activation::relu});
    return x;
}

/// Branches side by side, brought to the channels of what they read by 1 x 1 and added to it.
int residual(graph &g, int x, const std::vector<std::vector<branch_step>> &branches, float gain,
    activation after = activation::relu) {
    const dim channels = g.layers[std::size_t(x)].shape[1];
    std::vector<int> ends;
    for (const auto &steps : branches) ends.push_back(branch(g, x, steps));
    return g.convolve(
        g.concat(ends), channels, same(1), {.after = after, .addend = x, .gain = gain});
}

int stem(graph &g, int x) {
    x = branch(g, x, {{32, valid(3, 2)}, {32, valid(3)}, {64, same(3)}});
    x = branch(g, g.maximum(x, valid(3, 2)), {{80, same(1)}, {192, valid(3)}});
    x = g.maximum(x, valid(3, 2));
    const int pooled = g.average(x, same(3));
    return g.concat({branch(g, x, {{96, same(1)}}), branch(g, x, {{48, same(1)}, {64, same(5)}}),
        branch(g, x, {{64, same(1)}, {96, same(3)}, {96, same(3)}}),
        branch(g, pooled, {{64, same(1)}})});
}

int first_reduction(graph &g, int x) {
    return g.concat({branch(g, x, {{384, valid(3, 2)}}),
        branch(g, x, {{256, same(1)}, {256, same(3)}, {384, valid(3, 2)}}),
        g.maximum(x, valid(3, 2))});
}

int second_reduction(graph &g, int x) {
    return g.concat({branch(g, x, {{256, same(1)}, {384, valid(3, 2)}}),
        branch(g, x, {{256, same(1)}, {288, valid(3, 2)}}),
        branch(g, x, {{256, same(1)}, {288, same(3)}, {320, valid(3, 2)}}),
        g.maximum(x, valid(3, 2))});
}

} // namespace

graph inception_resnet(const network_size &size) {
    graph g("inception-resnet-v2", "images", size.batch);
    const dim side = size.image ? size.image : size.quick ? 107 : 299;
    if (side < 75)
        throw std::invalid_argument("inception-resnet-v2: a picture has at least 75 x 75 pixels");
    const auto count = [&](int blocks) { return size.quick ? 1 : blocks; };
    int x = stem(g, g.input({size.batch, 3, side, side}));
    for (int i = 0; i < count(10); ++i)
        x = residual(g, x,
            {{{32, same(1)}}, {{32, same(1)}, {32, same(3)}},
                {{32, same(1)}, {48, same(3)}, {64, same(3)}}},
            .17f);
    x = first_reduction(g, x);
    for (int i = 0; i < count(20); ++i)
        x = residual(g, x,
            {{{192, same(1)}}, {{128, same(1)}, {160, same_line(1, 7)}, {192, same_line(7, 1)}}},
            .1f);
    x = second_reduction(g, x);
    const std::vector<std::vector<branch_step>> last {
        {{192, same(1)}}, {{192, same(1)}, {224, same_line(1, 3)}, {256, same_line(3, 1)}}};
    for (int i = 0; i < count(9); ++i) x = residual(g, x, last, .2f);
    x = residual(g, x, last, 1, activation::none);
    x = branch(g, x, {{1536, same(1)}});
    g.dense(g.average(x), 1000, {.real = true});
    return g;
}

} // namespace topologies
