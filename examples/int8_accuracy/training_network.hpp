// SPDX-License-Identifier: Apache-2.0
// The f32 training network: forward pass, backward pass and update as lists of primitives.
#pragma once

#include "network.hpp"

namespace int8_accuracy {

/// One batch of images goes forward and backward through the layers; sum primitives then update the
/// weights (stochastic gradient descent with momentum).
class training_network {
  public:
    training_network(const dnnl::engine &engine, const parameters &start, int batch);

    float *images() { return static_cast<float *>(images_.get_data_handle()); } // batch x 28 x 28

    /// The update that follows: v = momentum * v + gradient; w = (1 - rate * decay) * w - rate * v.
    void set_update(float rate, float momentum, float decay);

    struct batch_result {
        double loss; // sum over the batch of -log p(label)
        int correct; // images whose most probable class is the label
    };

    /// Forward, backward and update for the images in images().
    batch_result step(const std::uint8_t *labels);

    parameters trained() const;

  private:
    struct layer_state {
        dnnl::memory src, dst, weights, bias, diff_weights, diff_bias;
        dnnl::memory diff_dst;          // gradient of dst, before the relu's own gradient
        dnnl::memory pooled, workspace; // of convolutions
        dnnl::convolution_forward::primitive_desc convolution;
        dnnl::inner_product_forward::primitive_desc inner_product;
        dnnl::eltwise_forward::primitive_desc relu;
        dnnl::pooling_forward::primitive_desc pooling;
    };

    void build_forward(const parameters &start);
    void add_weighted(const layer_shape &shape, layer_state &state);
    void add_relu(layer_state &state);
    void add_pooling(const layer_shape &shape, layer_state &state);
    void add_softmax();

    void build_backward();
    void add_softmax_backward();
    dnnl::memory add_pooling_backward(layer_state &state, const dnnl::memory &diff_pooled);
    void add_relu_backward(layer_state &state);
    void add_weights_backward(const layer_shape &shape, layer_state &state);
    dnnl::memory add_data_backward(const layer_shape &shape, layer_state &state);

    dnnl::engine engine_;
    dnnl::stream stream_;
    int batch_;
    std::array<layer_state, layer_count> layers_;
    std::vector<dnnl::memory> velocity_; // weights and bias of each layer
    dnnl::memory images_;
    dnnl::memory log_probability_, diff_log_probability_; // batch x classes
    dnnl::softmax_forward::primitive_desc softmax_;
    program forward_, backward_, update_;
};

} // namespace int8_accuracy
