// SPDX-License-Identifier: Apache-2.0
// Moves parameters against their gradients.
#pragma once

#include <cstddef>
#include <vector>

namespace int8_accuracy {

struct optimizer_settings {
    bool adam = false;      // otherwise stochastic gradient descent with momentum
    float momentum = 0.9f;  // v = momentum v + gradient; w = w - rate v
    float decay = 1e-4f;    // w = (1 - rate decay) w, of weights and not of biases and scales
    float largest_norm = 0; // of all gradients together; longer ones are shortened to it; 0: never
};

/// The first and second moments of Adam decay by 0.9 and 0.999 a step (Kingma and Ba, 2015).
class optimizer {
  public:
    explicit optimizer(const optimizer_settings &settings) : settings_(settings) {}

    struct tensor {
        float *values;
        float *gradient;
        std::size_t count;
        bool decays;
    };

    /// One step for all tensors, which are the same in each call.
    void step(const std::vector<tensor> &tensors, float rate);

  private:
    void momentum_step(const tensor &of, std::vector<float> &velocity, float rate) const;
    void adam_step(const tensor &of, std::vector<float> &moments, float rate) const;

    optimizer_settings settings_;
    std::vector<std::vector<float>> states_; // velocity, or both moments one after the other
    int steps_ = 0;
};

} // namespace int8_accuracy
