// SPDX-License-Identifier: Apache-2.0
// The trained network for inference in f32, bf16, int8 (static) and int8 (dynamic quantisation).
#pragma once

#include "network.hpp"
#include "quantization.hpp"

#include <string>

namespace int8_accuracy {

enum class arithmetic { f32, bf16, int8_static, int8_dynamic };

/// One way to run the network.
struct variant {
    std::string name;
    arithmetic kind = arithmetic::f32;
    weight_scales weights = weight_scales::per_tensor;  // int8 only
    activation_grid grid = activation_grid::asymmetric; // static int8 only
    range_rule rule = range_rule::min_max;              // static int8 only
};

/// Distribution of the sources of the layers: the images, then what each layer passes on.
using calibration = std::array<histogram, layer_count>;

class classifier {
  public:
    /// `measured` is only read by static int8.
    classifier(const dnnl::engine &engine, const parameters &trained, const variant &how,
        const calibration &measured, int batch);
    classifier(const classifier &) = delete; // the steps of the program point at the object
    classifier &operator=(const classifier &) = delete;

    /// Probabilities, batch x 10, of the normalised images, batch x 28 x 28. They stay valid until
    /// the next call.
    const float *run(const float *images);

    /// Result of a layer (after relu, before pooling) in the last run, as f32, MB x OC x H x W.
    std::vector<float> layer_result(int layer);

    std::size_t weight_bytes() const { return weight_bytes_; } // weights, biases and weight scales
    const std::string &implementation(int layer) const { return implementations_[layer]; }

  private:
    /// A tensor and how its numbers are to be read: as they are if there is no scale.
    struct stored_tensor {
        dnnl::memory data;
        dnnl::memory scale;      // one f32
        dnnl::memory zero_point; // one s32; none if it is 0 for certain
        dnnl::memory::desc desc() const { return data.get_desc(); }
    };

    bool int8() const { return how_.kind >= arithmetic::int8_static; }
    dnnl::memory::data_type weights_type() const;

    stored_tensor integer_tensor(
        const dnnl::memory::dims &dims, const quantizer &q, bool with_zero);
    stored_tensor input_tensor(const calibration &measured);
    stored_tensor result_tensor(int layer, const calibration &measured);
    stored_tensor dynamically_quantized(const dnnl::memory &values, bool with_zero);
    void add_quantization(const dnnl::memory &from, const stored_tensor &to);

    void add_layer(int layer, const parameters &trained, const calibration &measured);
    void add_convolution(const layer_shape &shape, const layer_parameters &from,
        const stored_tensor &src, const stored_tensor &dst, int layer);
    void add_inner_product(const layer_shape &shape, const layer_parameters &from,
        const stored_tensor &src, const stored_tensor &dst, int layer);
    void add_pooling(const layer_shape &shape);
    void add_softmax();

    dnnl::primitive_attr attributes(
        const layer_shape &shape, const stored_tensor &src, const stored_tensor &dst) const;
    program::arguments arguments_of(const layer_shape &shape, const layer_parameters &from,
        const stored_tensor &src, const stored_tensor &dst, const dnnl::memory::desc &weights);

    dnnl::engine engine_;
    dnnl::stream stream_;
    variant how_;
    int batch_;
    dnnl::memory images_, probabilities_;
    stored_tensor current_; // while building: what the next step reads
    std::array<stored_tensor, layer_count> results_;
    std::array<std::string, layer_count> implementations_;
    std::size_t weight_bytes_ = 0;
    program program_;
};

} // namespace int8_accuracy
