// SPDX-License-Identifier: Apache-2.0
// The network: its layers, its f32 parameters, and a list of primitives to execute in order.
#pragma once

#include "dataset.hpp"

#include <dnnl.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace int8_accuracy {

/// One layer with weights. A convolution keeps the size of the image (stride 1, padding K/2) and is
/// followed by a maximum pooling of 2x2; relu follows every layer but the last.
struct layer_shape {
    const char *name;
    bool convolution; // otherwise inner product
    bool relu;
    dnnl::memory::dim IC, IH, IW, OC, K; // K: kernel height and width of a convolution

    dnnl::memory::dims src_dims(dnnl::memory::dim MB) const;
    dnnl::memory::dims weights_dims() const; // OC, IC, height, width
    dnnl::memory::dims dst_dims(dnnl::memory::dim MB) const;
    dnnl::memory::dims pooled_dims(
        dnnl::memory::dim MB) const; // of a convolution: dst after pooling
    dnnl::memory::dim weights_count() const;
    dnnl::memory::dim multiplications() const; // of one image
};

constexpr int layer_count = 4;
const std::array<layer_shape, layer_count> &layers();

struct layer_parameters {
    std::vector<float> weights; // OC x IC x KH x KW, row-major
    std::vector<float> bias;    // OC
};

struct parameters {
    std::array<layer_parameters, layer_count> layer;
    normalization norm;
};

/// Normal distribution with variance 2 / fan-in (He et al., 2015), the last layer a tenth of the
/// deviation so that training starts from nearly equal probabilities; bias 0.
parameters random_parameters(std::uint64_t seed);

/// Activations are channels-last (nhwc), weights row-major (oihw); two-dimensional ones row-major.
dnnl::memory::desc activation_desc(const dnnl::memory::dims &dims, dnnl::memory::data_type type);
dnnl::memory::desc plain_weights_desc(const dnnl::memory::dims &dims);

/// The same tensor in whatever layout a primitive prefers.
dnnl::memory::desc any_layout(const dnnl::memory::dims &dims, dnnl::memory::data_type type);
dnnl::memory::desc vector_desc(dnnl::memory::dim count, dnnl::memory::data_type type);

/// A memory object with a copy of the values, f32 or s32.
dnnl::memory filled_memory(
    const dnnl::engine &engine, const dnnl::memory::desc &desc, const std::vector<float> &values);
dnnl::memory scalar_memory(const dnnl::engine &engine, float value);
dnnl::memory scalar_memory(const dnnl::engine &engine, std::int32_t value);

/// Steps that run one after the other on a stream.
class program {
  public:
    using arguments = std::unordered_map<int, dnnl::memory>;

    void add(const dnnl::primitive &primitive, const arguments &args);
    void add(std::function<void()> step);

    /// `from` itself if it has the wanted layout, otherwise a copy that a reorder refreshes each
    /// time.
    dnnl::memory in_layout(const dnnl::memory &from, const dnnl::memory::desc &wanted);

    /// Adds a reorder after which `to` holds `from`, unless they are the same memory.
    void copy(const dnnl::memory &from, const dnnl::memory &to);

    void run(dnnl::stream &stream) const;

  private:
    std::vector<std::function<void(dnnl::stream &)>> steps_;
};

} // namespace int8_accuracy
