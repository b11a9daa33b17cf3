// SPDX-License-Identifier: Apache-2.0
// A network as a list of layers, plain data without numbers: what each reads, the shape of its
// result, and what is done to the result before it is stored.
#pragma once

#include <dnnl.hpp>

#include <string>
#include <vector>

namespace topologies {

using dnnl::memory;
using dim = memory::dim;
using dims = memory::dims;

enum class kind {
    input,
    convolution,
    maximum, // pooling
    average, // pooling, without the padding
    concat,  // of channels
    dense,   // rows by weights
    scores,  // of attention: queries by keys over the square root of a head's channels
    softmax, // along the last dimension
    mix,     // shares of attention by values
    layer_normalization,
};

enum class activation { none, relu, relu6, prelu, gelu, tanh };

struct window {
    dim height = 1, width = 1, stride = 1;
    dim pad_height = 0, pad_width = 0; // on each of the two sides
};
/// Padded by half of the window.
inline window same(dim side, dim stride = 1) { return {side, side, stride, side / 2, side / 2}; }
inline window same_line(dim height, dim width) { return {height, width, 1, height / 2, width / 2}; }
/// Not padded.
inline window valid(dim side, dim stride = 1) { return {side, side, stride, 0, 0}; }

/// What a product does besides multiplying.
struct extras {
    activation after = activation::none;
    int addend = -1;       // the layer whose result is added before the activation
    float gain = 1;        // factor of the weights' standard deviation, < 1 in residual branches
    dim groups = 1;        // of a convolution
    bool shuffles = false; // a convolution whose four quarters of channels become 2 x 2 pixels
    bool real = false;     // the result stays f32 where the products are in bytes
};

struct layer {
    kind what = kind::input;
    std::vector<int> sources; // layers whose results it reads
    dims shape;               // of the result: N, C, H, W; rows, channels; N, heads, T, T
    window over = {};
    extras more = {};

    /// Four dimensions of which the second are channels, which lie last in memory.
    bool image() const {
        return shape.size() == 4 && what != kind::scores && what != kind::softmax;
    }
    bool product() const { return what == kind::convolution || what == kind::dense; }
    bool depthwise() const { return more.groups > 1 && more.groups == shape[1]; }
};

class graph {
  public:
    graph(const std::string &name, const std::string &unit, dim batch)
        : name(name), unit(unit), batch(batch) {}

    // Each adds a layer and returns its number. Throws std::invalid_argument if a window does not
    // fit into what it reads.
    int input(const dims &shape, bool real = false);
    int convolve(int source, dim channels, const window &over, const extras &more = {});
    int maximum(int source, const window &over) { return pool(kind::maximum, source, over); }
    int average(int source, const window &over) { return pool(kind::average, source, over); }
    /// The average of each whole channel.
    int average(int source);
    int concat(const std::vector<int> &sources);
    int dense(int source, dim channels, const extras &more = {});
    /// Multi-head attention on rows of queries, keys and values side by side.
    int attend(int joined, dim heads);
    int normalize(int source);

    /// Multiplications of a layer for the whole batch, and the elements of its weights.
    double multiplications(int of) const;
    double weights(int of) const;
    /// The last layer that reads the result of this one, as a source or as an addend.
    int last_reader(int of) const;

    std::string name, unit; // unit: what is counted a second
    dim batch;
    std::vector<layer> layers;

  private:
    int add(layer one);
    int pool(kind what, int source, const window &over);
    dims after_window(int source, dim channels, const window &over) const;
};

} // namespace topologies
