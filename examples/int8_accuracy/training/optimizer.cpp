// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent with momentum, Adam, and the limit of the gradients' length.
#include "optimizer.hpp"

#include <cmath>

namespace int8_accuracy {
namespace {

double norm_of(const std::vector<optimizer::tensor> &tensors) {
    double sum = 0;
    for (const optimizer::tensor &each : tensors)
        for (std::size_t i = 0; i < each.count; ++i)
            sum += double(each.gradient[i]) * each.gradient[i];
    return std::sqrt(sum);
}

} // namespace

void optimizer::step(const std::vector<tensor> &tensors, float rate) {
    ++state_.steps;
    if (state_.moments.empty())
        for (const tensor &each : tensors)
            state_.moments.emplace_back(settings_.adam ? 2 * each.count : each.count);
    if (settings_.largest_norm > 0) {
        const double norm = norm_of(tensors);
        const auto factor = float(settings_.largest_norm / norm);
        for (const tensor &each : tensors)
            for (std::size_t i = 0; norm > settings_.largest_norm && i < each.count; ++i)
                each.gradient[i] *= factor;
    }
    for (std::size_t t = 0; t < tensors.size(); ++t)
        settings_.adam ? adam_step(tensors[t], state_.moments[t], rate)
                       : momentum_step(tensors[t], state_.moments[t], rate);
}

void optimizer::momentum_step(const tensor &of, std::vector<float> &velocity, float rate) const {
    const float keep = of.decays ? 1 - rate * settings_.decay : 1;
    for (std::size_t i = 0; i < of.count; ++i) {
        velocity[i] = settings_.momentum * velocity[i] + of.gradient[i];
        of.values[i] = keep * of.values[i] - rate * velocity[i];
    }
}

void optimizer::adam_step(const tensor &of, std::vector<float> &moments, float rate) const {
    constexpr double first_decay = .9, second_decay = .999;
    constexpr float tiny = 1e-8f;
    const auto a = float(first_decay), b = float(second_decay);
    const float keep = of.decays ? 1 - rate * settings_.decay : 1;
    const auto first_bias = float(1 - std::pow(first_decay, state_.steps));
    const auto second_bias = float(1 - std::pow(second_decay, state_.steps));
    float *first = moments.data(), *second = moments.data() + of.count;
    for (std::size_t i = 0; i < of.count; ++i) {
        const float g = of.gradient[i];
        first[i] = a * first[i] + (1 - a) * g;
        second[i] = b * second[i] + (1 - b) * g * g;
        of.values[i] = keep * of.values[i] -
                       rate * (first[i] / first_bias) / (std::sqrt(second[i] / second_bias) + tiny);
    }
}

} // namespace int8_accuracy
