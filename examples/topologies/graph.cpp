// SPDX-License-Identifier: Apache-2.0
// Shapes of layers.
#include "graph.hpp"

#include <algorithm>
#include <stdexcept>

namespace topologies {

int graph::add(layer one) {
    layers.push_back(std::move(one));
    return int(layers.size()) - 1;
}

dims graph::after_window(int source, dim channels, const window &over) const {
    const dims &from = layers[std::size_t(source)].shape;
    const dim height = from[2] + 2 * over.pad_height - over.height,
              width = from[3] + 2 * over.pad_width - over.width;
    if (height < 0 || width < 0)
        throw std::invalid_argument(name + ": the picture is too small for its windows");
    return {from[0], channels, height / over.stride + 1, width / over.stride + 1};
}

int graph::input(const dims &shape, bool real) {
    return add({.what = kind::input, .sources = {}, .shape = shape, .more = {.real = real}});
}

int graph::convolve(int source, dim channels, const window &over, const extras &more) {
    dims shape = after_window(source, channels, over);
    if (more.shuffles) shape = {shape[0], channels / 4, 2 * shape[2], 2 * shape[3]};
    return add({kind::convolution, {source}, shape, over, more});
}

int graph::pool(kind what, int source, const window &over) {
    const dim channels = layers[std::size_t(source)].shape[1];
    return add({what, {source}, after_window(source, channels, over), over});
}

int graph::average(int source) {
    const dims &from = layers[std::size_t(source)].shape;
    return average(source, {from[2], from[3], 1, 0, 0});
}

int graph::concat(const std::vector<int> &sources) {
    dims shape = layers[std::size_t(sources.front())].shape;
    shape[1] = 0;
    for (const int s : sources) shape[1] += layers[std::size_t(s)].shape[1];
    return add({kind::concat, sources, shape});
}

int graph::dense(int source, dim channels, const extras &more) {
    return add({kind::dense, {source}, {layers[std::size_t(source)].shape[0], channels}, {}, more});
}

int graph::attend(int joined, dim heads) {
    const dims rows = layers[std::size_t(joined)].shape;
    const dim tokens = rows[0] / batch;
    const dims square {batch, heads, tokens, tokens};
    const int scores = add({kind::scores, {joined}, square, {}, {.real = true}});
    const int shares = add({kind::softmax, {scores}, square});
    return add({kind::mix, {shares, joined}, {rows[0], rows[1] / 3}});
}

int graph::normalize(int source) {
    return add({kind::layer_normalization, {source}, layers[std::size_t(source)].shape, {},
        {.real = true}});
}

double graph::weights(int of) const {
    const layer &l = layers[std::size_t(of)];
    if (!l.product()) return 0;
    const double inputs = double(layers[std::size_t(l.sources[0])].shape[1]);
    const double outputs = double(l.shape[1]) * (l.more.shuffles ? 4 : 1);
    return inputs / double(l.more.groups) * outputs * double(l.over.height * l.over.width);
}

double graph::multiplications(int of) const {
    const layer &l = layers[std::size_t(of)];
    const auto square = [](const layer &s) { return double(s.shape[0] * s.shape[2] * s.shape[3]); };
    if (l.what == kind::scores)
        return square(l) * double(layers[std::size_t(l.sources[0])].shape[1]) / 3;
    if (l.what == kind::mix) return square(layers[std::size_t(l.sources[0])]) * double(l.shape[1]);
    const double pixels = l.image() ? square(l) / (l.more.shuffles ? 4 : 1) : double(l.shape[0]);
    return weights(of) * pixels;
}

int graph::last_reader(int of) const {
    for (int i = int(layers.size()) - 1; i > of; --i) {
        const layer &l = layers[std::size_t(i)];
        const bool reads = std::find(l.sources.begin(), l.sources.end(), of) != l.sources.end();
        if (reads || l.more.addend == of) return i;
    }
    return of;
}

} // namespace topologies
