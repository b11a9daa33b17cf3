// SPDX-License-Identifier: Apache-2.0
// Gradients of every kind of layer against differences, and what the numbers of training do.
#include "../networks/network_text.hpp"
#include "../training/training_network.hpp"

#include "../../random_source.hpp"
#include "checks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

using namespace int8_accuracy;

namespace {

constexpr int batch = 6;

struct problem {
    network net;
    std::vector<float> input;
    std::vector<std::uint8_t> labels;
};

problem random_problem(const std::string &text, std::uint64_t seed) {
    problem p {parse_network(text, "test"), {}, {}};
    examples::random_source random(seed);
    p.input.resize(std::size_t(p.net.input().values()) * batch);
    for (float &x : p.input) x = float(random.normal());
    for (int i = 0; i < p.net.labels() * batch; ++i)
        p.labels.push_back(std::uint8_t(random.below(p.net.classes())));
    return p;
}

/// The first parameters, with scales and shifts that are not those of the identity.
parameters start_of(const network &net, std::uint64_t seed) {
    parameters start = random_parameters(net, seed);
    examples::random_source random(seed + 1);
    for (std::size_t l = 0; l < net.layers.size(); ++l) {
        for (float &b : start[l].bias) b += float(.2 * random.normal());
        if (!multiplies(net.layers[l].kind))
            for (float &w : start[l].weights) w += float(.2 * random.normal());
    }
    return start;
}

double mean_loss(const problem &p, const parameters &at, const dnnl::engine &engine) {
    training_network network(engine, p.net, at, batch, arithmetic::f32, {});
    std::copy(p.input.begin(), p.input.end(), network.input());
    const auto result = network.compute_gradients(p.labels);
    return result.loss / result.rows;
}

/// The largest error of a gradient among some of its numbers, as a part of the largest number.
double gradient_error(const problem &p, const parameters &at, const dnnl::engine &engine,
    std::vector<float> layer_parameters::*which, int l, const std::vector<float> &gradient) {
    constexpr int tried = 6;
    constexpr float step = 4e-3f;
    float largest = 2e-3f; // below are the biases that a normalization or a softmax takes away
    for (float g : gradient) largest = std::max(largest, std::fabs(g));
    double error = 0;
    for (int k = 0; k < tried; ++k) {
        const std::size_t i = gradient.size() * k / tried;
        parameters up = at, down = at;
        (up[l].*which)[i] += step;
        (down[l].*which)[i] -= step;
        const double slope =
            (mean_loss(p, up, engine) - mean_loss(p, down, engine)) / (2 * double(step));
        error = std::max(error, std::fabs(slope - gradient[i]) / largest);
    }
    return error;
}

void gradients_are_right(
    checks &check, const dnnl::engine &engine, const std::string &name, const std::string &text) {
    const problem p = random_problem(text, 11);
    const parameters at = start_of(p.net, 5);
    training_network network(engine, p.net, at, batch, arithmetic::f32, {});
    std::copy(p.input.begin(), p.input.end(), network.input());
    network.compute_gradients(p.labels);
    const parameters found = network.gradients();
    for (std::size_t l = 0; l < p.net.layers.size(); ++l)
        for (auto which :
            {&layer_parameters::weights, &layer_parameters::recurrent, &layer_parameters::bias}) {
            const std::vector<float> &gradient = found[l].*which;
            if (gradient.empty()) continue;
            const double error = gradient_error(p, at, engine, which, int(l), gradient);
            const char *part = which == &layer_parameters::weights ? "weights"
                               : which == &layer_parameters::bias  ? "bias"
                                                                   : "recurrent";
            check.that(error < .02,
                fmt::format("{}, {} of {}: error {:.4f}", name, part, p.net.layers[l].name, error));
        }
}

/// The mean loss after some steps on one batch.
double loss_after(const problem &p, const dnnl::engine &engine, arithmetic numbers,
    const optimizer_settings &how, float rate, int steps) {
    training_network network(engine, p.net, random_parameters(p.net, 3), batch, numbers, how);
    std::copy(p.input.begin(), p.input.end(), network.input());
    double loss = 0;
    for (int i = 0; i < steps; ++i) {
        const auto result = network.step(p.labels, rate);
        loss = result.loss / result.rows;
    }
    return loss;
}

void losses_fall(
    checks &check, const dnnl::engine &engine, const std::string &name, const std::string &text) {
    const problem p = random_problem(text, 21);
    const double first = mean_loss(p, random_parameters(p.net, 3), engine);
    for (bool adam : {false, true}) {
        const optimizer_settings how {adam, .9f, 1e-4f, 1.f};
        const float rate = adam ? .01f : .05f;
        const double exact = loss_after(p, engine, arithmetic::f32, how, rate, 150);
        const double rounded = loss_after(p, engine, arithmetic::bf16_with_master, how, rate, 150);
        check.that(exact < first / 2 && std::fabs(exact - rounded) < .05 && exact != rounded,
            fmt::format("{}, {}: loss {:.3f}, after 150 steps {:.5f} in f32, {:.5f} in bf16", name,
                adam ? "Adam" : "momentum", first, exact, rounded));
    }
}

/// Weights of about 1 and steps below 2^-9 of them: bf16 alone rounds every step away.
void small_steps_need_a_master(checks &check, const dnnl::engine &engine) {
    problem p = random_problem("input 8 1 1\ndense 2\n", 31);
    for (std::size_t i = 0; i < p.labels.size(); ++i) p.labels[i] = p.input[8 * i] > 0;
    parameters start = random_parameters(p.net, 1);
    std::fill(start[1].weights.begin(), start[1].weights.end(), 1.f);
    const auto moved = [&](arithmetic numbers) {
        training_network network(engine, p.net, start, batch, numbers, {false, 0.f, 0.f, 0.f});
        std::copy(p.input.begin(), p.input.end(), network.input());
        for (int i = 0; i < 200; ++i) network.step(p.labels, 1e-3f);
        float most = 0;
        const parameters now = network.trained();
        for (float w : now[1].weights) most = std::max(most, std::fabs(w - 1));
        return most;
    };
    const float with = moved(arithmetic::bf16_with_master), without = moved(arithmetic::bf16_alone);
    check.that(with > .01f && without == 0,
        fmt::format("weights move by {:.4f} with f32 masters, by {:.4f} without", with, without));
}

/// With the weights rounded to multiples of 1/4 the loss is that of the rounded network, and the
/// masters still learn.
void rounding_passes_gradients(checks &check, const dnnl::engine &engine) {
    const problem p = random_problem("input 1 6 6\nconvolution 4 kernel 3\nrelu\ndense 3\n", 41);
    const auto round_all = [](float *values, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) values[i] = std::nearbyint(4 * values[i]) / 4;
    };
    training_hooks hooks;
    hooks.weights = [&](int, float *values, std::size_t count) { round_all(values, count); };
    hooks.result = [&](int l, float *values, std::size_t count) {
        if (p.net.layers[l].kind == layer_kind::relu) round_all(values, count);
    };
    const optimizer_settings how {true, .9f, 0.f, 0.f};
    training_network network(
        engine, p.net, random_parameters(p.net, 3), batch, arithmetic::f32, how, hooks);
    std::copy(p.input.begin(), p.input.end(), network.input());
    const double first = network.step(p.labels, .02f).loss;
    double last = first;
    for (int i = 0; i < 100; ++i) last = network.step(p.labels, .02f).loss;
    check.that(
        last < first / 3, fmt::format("rounded weights: loss {:.2f}, then {:.2f}", first, last));
}

} // namespace

int main() {
    checks check;
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const std::string image = "input 2 8 8\nconvolution 6 kernel 3 as a\nnormalization as n\n"
                              "relu as r\nmaximum 2\nconvolution 6 kernel 3 groups 6 as depth\n"
                              "gelu\nconvolution 6 kernel 1 as b\nadd depth\n"
                              "convolution 4 kernel 3 stride 2 as c\naverage\ndense 3 as d\n";
    const std::string cells = "input tokens 5 length 4\nlstm 6 as l\ndense 5 as d\n";
    const std::string encoder =
        "input tokens 5 length 4 positions\ndense 8 as s\nlayer_normalization as n\n"
        "dense 8 from n as q\ndense 8 from n as k\ndense 8 from n as v\nattention q k v heads 2\n"
        "dense 8 as o\nadd s\ngelu\naverage\ndense 3 as d\n";
    gradients_are_right(check, engine, "image", image);
    gradients_are_right(check, engine, "lstm", cells);
    gradients_are_right(check, engine, "encoder", encoder);
    losses_fall(check, engine, "image", image);
    losses_fall(check, engine, "lstm", cells);
    losses_fall(check, engine, "encoder", encoder);
    small_steps_need_a_master(check, engine);
    rounding_passes_gradients(check, engine);
    return check.status();
}
