// SPDX-License-Identifier: Apache-2.0
// A network as a list of layers, and the numbers that it has learned.
#pragma once

#include <dnnl.hpp>

#include <string>
#include <vector>

namespace int8_accuracy {

/// One object: an image, channels x height x width; a vector, where height and width are 1; or a
/// sequence of `length` vectors.
struct object_shape {
    int channels = 0, height = 1, width = 1;
    int length = 0; // 0: not a sequence

    bool sequence() const { return length > 0; }
    int rows() const { return sequence() ? length : 1; } // vectors or images of one object
    int row_values() const { return channels * height * width; }
    int values() const { return rows() * row_values(); }
    bool operator==(const object_shape &) const = default;
};

/// Dimensions of `batch` objects in a memory object. Images: batch x C x H x W. Vectors: batch x C.
/// Sequences: (length * batch) x C, all objects of the first position first.
dnnl::memory::dims dims_of(const object_shape &shape, int batch);

/// Images are channels-last (nhwc), everything else is row-major.
dnnl::memory::desc desc_of(const object_shape &shape, int batch, dnnl::memory::data_type type);

enum class layer_kind {
    input,
    convolution,   // weights G x OC/G x IC/G x KH x KW, bias OC
    dense,         // weights OC x IC (x IH x IW when it reads an image), bias OC
    lstm,          // weights IC x 4 x OC, recurrent OC x 4 x OC, bias 4 x OC; starts from zeros
    normalization, // of a batch: weights (scale) C, bias (shift) C, mean C, variance C
    layer_normalization, // of the channels of a row: weights (scale) C, bias (shift) C
    relu,
    gelu,      // 0.5 x (1 + erf(x / sqrt 2))
    maximum,   // over windows of kernel x kernel, without padding
    average,   // over all positions of an image, or over the positions of a sequence
    add,       // of two layers
    attention, // of queries, keys and values: softmax(Q K' / sqrt(C / heads)) V in each head
};

/// Whether the layer multiplies by learned weights: it is a place where numbers can be narrow.
bool multiplies(layer_kind kind);
bool has_parameters(layer_kind kind);

struct layer {
    layer_kind kind = layer_kind::input;
    std::string name;      // unique within the network
    std::vector<int> from; // the layers that it reads, all of them earlier
    int kernel = 1, stride = 1, padding = 0, groups = 1; // of convolutions and of maximum
    int heads = 1;                                       // of attention
    object_shape source, result; // of the first layer that it reads, and its own
    int line = 0;                // of the text that describes the network, from 1
};

struct network {
    std::string name;
    std::vector<layer> layers; // the first is the input, the last gives one number per class
    bool positions = false; // the input has a channel for each position after those of the tokens

    const object_shape &input() const { return layers.front().result; }
    int classes() const { return layers.back().result.channels; }
    int labels() const { return layers.back().result.rows(); } // of one object

    /// The layers that multiply by weights, in order.
    std::vector<int> products() const;
    /// Whether a layer is of this kind.
    bool has(layer_kind kind) const;
    /// How many layers read layer `l`.
    int readers(int l) const;
};

/// Multiplications of one object in a layer that multiplies().
double multiplications(const layer &of);

constexpr float normalization_epsilon = 1e-5f; // added to variances, of batches and of rows

/// The parameters of a layer; those that its kind does not have are empty.
struct layer_parameters {
    std::vector<float> weights, recurrent, bias, mean, variance;
};

/// Dimensions of the weights: convolutions have the groups in front if there are more than one,
/// those of an lstm are {1, 1, IC, 4, OC} (ldigo) and of its recurrent weights {1, 1, OC, 4, OC}.
dnnl::memory::dims weights_dims(const layer &of);
dnnl::memory::dims recurrent_dims(const layer &of);

/// Number of values that a parameter of the layer has, in the order of layer_parameters.
layer_parameters zero_parameters(const layer &of);

using parameters = std::vector<layer_parameters>; // one for each layer

/// Normal distribution with variance 2 / fan-in before a relu and 1 / fan-in elsewhere (He et al.,
/// 2015), the last layer a tenth of the deviation, so that training begins with nearly equal
/// probabilities. Scales and variances 1, the forget gate's bias 1, everything else 0.
parameters random_parameters(const network &of, std::uint64_t seed);

struct trained_network {
    network net;
    parameters learned;
    std::vector<float> mean,
        deviation; // of the channels of images: (pixel / 255 - mean) / deviation
};

/// The same function without layers of kind normalization: what they do is part of the weights and
/// the bias of the layer before.
trained_network folded(const trained_network &from);

} // namespace int8_accuracy
