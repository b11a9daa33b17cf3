// SPDX-License-Identifier: Apache-2.0
// A network for training: forward pass, backward pass and update, as lists of primitives.
#pragma once

#include "../execution/program.hpp"
#include "../networks/network.hpp"
#include "optimizer.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace int8_accuracy {

/// The numbers that training computes with. Weight gradients, statistics and logits are f32 in all
/// of them.
enum class arithmetic {
    f32,
    bf16_with_master, // activations and their gradients in bf16, weights as a bf16 copy of f32
                      // masters
    bf16_alone,       // the masters are rounded to bf16 after each update: small updates get lost
};

/// What is called in the middle of a pass.
///
/// `weights` and `result` round what the forward pass computes with, for fine-tuning: gradients
/// pass straight through (straight-through estimator), and the masters keep all their bits. In f32
/// only, for networks without layers of kind normalization.
struct training_hooks {
    /// The weights of a product, a copy of its masters, before each pass.
    std::function<void(int layer, float *values, std::size_t count)> weights;
    /// The result of a layer, or the encoded input (layer 0).
    std::function<void(int layer, float *values, std::size_t count)> result;
    /// The gradients of a layer's parameters, as soon as the backward pass has them: the last layer
    /// comes first. The spans are the same in each step, and update() reads them.
    std::function<void(int layer, const std::vector<std::span<float>> &gradients)> gradients;
};

class training_network {
  public:
    training_network(const dnnl::engine &engine, const network &net, const parameters &start,
        int batch, arithmetic numbers, const optimizer_settings &update, training_hooks hooks = {});
    training_network(const training_network &) = delete; // steps point at the object
    training_network &operator=(const training_network &) = delete;

    /// Where the encoded objects of the next step go, as dims_of() says.
    float *input() { return static_cast<float *>(input_.get_data_handle()); }

    struct batch_result {
        double loss = 0; // sum over the rows of -log p(label), nats
        int right = 0;   // rows whose most probable class is the label
        int rows = 0;
    };

    /// Forward, backward and update. `labels` has one for each row of the network's result.
    batch_result step(const std::vector<std::uint8_t> &labels, float rate);

    /// Forward and backward alone: gradients() are those of the mean loss of a row.
    batch_result compute_gradients(const std::vector<std::uint8_t> &labels);

    /// Moves the parameters against gradients().
    void update(float rate);

    /// Of the layers' parameters; empty where there are none.
    parameters gradients() const;
    parameters trained() const;

    /// What a network goes on from, together with trained().
    const optimizer_state &moments() const { return optimizer_.state(); }
    /// Goes on from there. Both must be of the same network and settings.
    void resume(const parameters &from, const optimizer_state &moments);

  private:
    struct parameter_state {
        dnnl::memory master, gradient; // f32, plain
        dnnl::memory working;          // what primitives read: the master, or a rounded copy
    };
    struct layer_state {
        dnnl::memory result;   // the layer's own
        dnnl::memory gradient; // of the result; empty until a reader gives one
        parameter_state weights, recurrent, bias;
        dnnl::memory running_mean, running_variance;     // of normalization
        std::function<void(layer_state &)> add_backward; // of the layer's gradient
    };

    dnnl::memory::data_type number() const;
    dnnl::memory new_result(int l) const;
    const dnnl::memory &source(int l, int which = 0) const;
    /// The first reader gives the gradient of a layer, each further one is added to it.
    void give_gradient(int l, const dnnl::memory &part);

    void add_parameters(int l, const layer_parameters &start);
    parameter_state make_parameter(
        const std::vector<float> &values, const dnnl::memory::dims &dims, bool rounded);
    /// The same bytes with four dimensions (nhwc), and as desc_of() has them. Views do not own
    /// them.
    dnnl::memory image_view(const dnnl::memory &of, const object_shape &shape) const;
    dnnl::memory plain_view(const dnnl::memory &of, const object_shape &shape);

    void add_forward(int l);
    void add_convolution(int l);
    void add_dense(int l);
    void add_lstm(int l);
    void add_normalization(int l);
    void add_layer_normalization(int l);
    void add_elementwise(int l, dnnl::algorithm algorithm, bool from_result);
    void add_pooling(int l);
    void add_addition(int l);
    void add_attention(int l);
    void add_loss();
    void add_rounding(int l);
    void add_gradients_hook(int l);
    batch_result read_loss(const std::vector<std::uint8_t> &labels);

    dnnl::engine engine_;
    mutable dnnl::stream stream_;
    network net_;
    int batch_;
    arithmetic numbers_;
    training_hooks hooks_;
    dnnl::memory input_; // f32
    std::vector<layer_state> layers_;
    dnnl::memory log_probability_, diff_log_probability_; // rows x classes
    std::vector<dnnl::memory> kept_;                      // what views read and no layer holds
    program forward_, backward_;
    optimizer optimizer_;
    std::vector<parameter_state *> updated_;
};

} // namespace int8_accuracy
