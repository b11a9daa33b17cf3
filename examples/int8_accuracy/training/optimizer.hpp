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

/// What the steps so far have left.
struct optimizer_state {
    int steps = 0;
    std::vector<std::vector<float>> moments; // of each tensor: velocity, or both moments in turn
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

    const optimizer_state &state() const { return state_; }
    void resume(const optimizer_state &from) { state_ = from; }

  private:
    void momentum_step(const tensor &of, std::vector<float> &velocity, float rate) const;
    void adam_step(const tensor &of, std::vector<float> &moments, float rate) const;

    optimizer_settings settings_;
    optimizer_state state_;
};

} // namespace int8_accuracy
