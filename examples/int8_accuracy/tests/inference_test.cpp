// SPDX-License-Identifier: Apache-2.0
// Networks in every format against f32, against training, and against integers of 64 bits.
#include "../inference/runner.hpp"
#include "../networks/network_text.hpp"
#include "../networks/zoo.hpp"
#include "../quantization/migration.hpp"
#include "../quantization/simulation.hpp"
#include "../training/training_network.hpp"

#include "../../random_source.hpp"
#include "checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

using namespace int8_accuracy;

namespace {

constexpr int batch = 4;

struct problem {
    trained_network of; // folded
    std::vector<float> input;
    calibration_data measured;
};

/// A network with random weights, normal inputs, and calibration on these.
problem random_problem(const dnnl::engine &engine, const network &net, std::uint64_t seed) {
    problem p;
    p.of = folded({net, random_parameters(net, seed), {}, {}});
    examples::random_source random(seed + 1);
    for (layer_parameters &each : p.of.learned)
        for (float &b : each.bias) b += float(.1 * random.normal());
    p.input.resize(std::size_t(net.input().values()) * batch);
    for (float &x : p.input) x = float(random.normal());
    calibrator looks(engine, p.of, batch, 64, seed);
    looks.add(p.input.data());
    p.measured = looks.result();
    return p;
}

network network_of(const std::string &name) {
    if (name == "characters") return known_network(name, {12, 1, 1, 9}, 12);
    if (name == "transformer") return known_network(name, {24, 1, 1, 16}, 10);
    return known_network(
        name, name == "digits" ? object_shape {1, 28, 28} : object_shape {3, 32, 32}, 10);
}

std::vector<float> logits_of(const dnnl::engine &engine, const problem &p,
    const trained_network &of, const calibration_data &measured, const layer_format &format,
    bool keep = true) {
    const std::vector<int> products = of.net.products();
    runner tried(engine, of, assignment(products.size(), format), measured, batch, keep);
    const float *logits = tried.run(p.input.data());
    return {logits, logits + std::size_t(of.net.labels()) * batch * of.net.classes()};
}

/// 10 log10(sum x^2 / sum (x - y)^2).
double decibel(const std::vector<float> &x, const std::vector<float> &y) {
    double signal = 0, noise = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        signal += double(x[i]) * x[i];
        noise += (double(x[i]) - y[i]) * (double(x[i]) - y[i]);
    }
    return 10 * std::log10(signal / (noise + 1e-30));
}

bool same_bits(const std::vector<float> &a, const std::vector<float> &b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), 4 * a.size()) == 0;
}

layer_format format_of(number_kind kind) {
    layer_format format;
    format.kind = kind;
    return format;
}

layer_format integers(int source_bits, int weight_bits) {
    layer_format format = format_of(number_kind::integer);
    format.source_bits = source_bits;
    format.weight_bits = weight_bits;
    format.rule = range_rule::min_max;
    return format;
}

/// Each format with the least ratio that its bits should give over a few layers.
struct expectation {
    std::string name;
    layer_format format;
    double least;
};

std::vector<expectation> expectations() {
    layer_format tensor = integers(8, 8), symmetric = integers(8, 8), dynamic = integers(8, 8),
                 tuned = integers(8, 4), fixed = format_of(number_kind::fixed_point);
    tensor.groups = weight_groups::tensor;
    symmetric.grid = activation_grid::symmetric;
    dynamic.dynamic = true;
    tuned.rounding = weight_rounding::tuned;
    fixed.source_bits = fixed.weight_bits = 16;
    return {{"bf16", format_of(number_kind::bf16), 35}, {"f16", format_of(number_kind::f16), 50},
        {"f8_e4m3", format_of(number_kind::f8_e4m3), 16},
        {"f8_e5m2", format_of(number_kind::f8_e5m2), 10},
        {"mx_f8", format_of(number_kind::mx_f8), 16}, {"mx_f4", format_of(number_kind::mx_f4), 8},
        {"int8", integers(8, 8), 25}, {"int8 per tensor", tensor, 20},
        {"int8 symmetric", symmetric, 22}, {"int8 dynamic", dynamic, 25},
        {"16-bit integers", integers(16, 16), 65}, {"4-bit weights, tuned", tuned, 8},
        {"fixed point 16", fixed, 60}};
}

void formats_are_near_f32(checks &check, const dnnl::engine &engine, const std::string &name) {
    const problem p = random_problem(engine, network_of(name), 5);
    const std::vector<float> exact = logits_of(engine, p, p.of, p.measured, {});
    check.that(same_bits(exact, logits_of(engine, p, p.of, {}, {}, false)),
        name + ": results in place have the same bits");
    for (const expectation &each : expectations()) {
        const std::vector<float> found = logits_of(engine, p, p.of, p.measured, each.format);
        const double ratio = decibel(exact, found);
        check.that(ratio >= each.least,
            fmt::format("{} in {}: {:.1f} dB, expected {}", name, each.name, ratio, each.least));
        check.that(same_bits(found, logits_of(engine, p, p.of, p.measured, each.format, false)),
            fmt::format("{} in {}: results in place have the same bits", name, each.name));
    }
}

/// -log p of random labels, from the logits and as training computes it.
void loss_is_that_of_training(checks &check, const dnnl::engine &engine, const std::string &name) {
    const problem p = random_problem(engine, network_of(name), 6);
    const std::vector<float> logits = logits_of(engine, p, p.of, {}, {});
    const int classes = p.of.net.classes(), rows = p.of.net.labels() * batch;
    examples::random_source random(7);
    std::vector<std::uint8_t> labels;
    double loss = 0;
    for (int r = 0; r < rows; ++r) {
        labels.push_back(std::uint8_t(random.below(classes)));
        const float *row = logits.data() + std::size_t(r) * classes;
        double sum = 0;
        for (int c = 0; c < classes; ++c) sum += std::exp(double(row[c]));
        loss += std::log(sum) - row[labels.back()];
    }
    training_network training(engine, p.of.net, p.of.learned, batch, arithmetic::f32, {});
    std::copy(p.input.begin(), p.input.end(), training.input());
    const double expected = training.compute_gradients(labels).loss;
    check.that(std::fabs(loss - expected) < 1e-4 * expected,
        fmt::format("{}: loss {:.6f}, in training {:.6f}", name, loss, expected));
}

/// Weights and inputs whose scales are powers of two, the latter's measured in the run: every f32
/// operation is then exact, so that the results equal sums of 64 bits.
void integers_are_exact(checks &check, const dnnl::engine &engine) {
    const network net = parse_network("input 300 1 1\ndense 40 as all\n", "test");
    examples::random_source random(8);
    trained_network of {net, {layer_parameters {}, zero_parameters(net.layers[1])}, {}, {}};
    for (float &w : of.learned[1].weights) w = float(random.below(255) - 127) / 128;
    for (std::size_t row = 0; row < 40; ++row) of.learned[1].weights[row * 300] = 127.f / 128;
    std::vector<float> input(300 * batch);
    for (float &x : input) x = float(random.below(256) - 100) / 64;
    input[0] = 155.f / 64;
    input[1] = -100.f / 64;
    layer_format format = integers(8, 8);
    format.dynamic = true;
    runner run(engine, of, {format}, {}, batch);
    const float *found = run.run(input.data());
    bool equal = true;
    for (int i = 0; i < batch; ++i)
        for (int o = 0; o < 40; ++o) {
            std::int64_t sum = 0;
            for (int k = 0; k < 300; ++k)
                sum += std::int64_t(input[std::size_t(i) * 300 + k] * 64) *
                       std::int64_t(of.learned[1].weights[std::size_t(o) * 300 + k] * 128);
            equal = equal && found[i * 40 + o] == float(sum) / (64 * 128);
        }
    check.that(equal, "int8 equals sums of 64 bits");
}

/// |w - q s| <= s / 2 for nearest rounding.
void weights_are_near(checks &check) {
    const network net = network_of("digits");
    const parameters learned = random_parameters(net, 9);
    for (const weight_groups groups :
        {weight_groups::tensor, weight_groups::channel, weight_groups::group})
        for (const int bits : {8, 4, 2})
            for (int l : net.products()) {
                const weight_matrix w = matrix_of(net.layers[l], learned[l]);
                const quantized_weights q = quantize(w, groups, bits);
                bool near = true;
                for (int r = 0; r < w.rows; ++r)
                    for (int c = 0; c < w.columns; ++c) {
                        const std::size_t i = std::size_t(r) * w.columns + c;
                        const double s = q.scale(r, c);
                        near = near && std::fabs(w.values[i] - s * q.integers[i]) <= s * .5000001;
                    }
                check.that(near, fmt::format("{} bits: weights of {}", bits, net.layers[l].name));
            }
}

/// Outliers in a few channels cost int8 much, and migrating their scales wins it back.
void migration_helps(checks &check, const dnnl::engine &engine) {
    problem p = random_problem(engine, network_of("transformer"), 10);
    const std::vector<float> exact = logits_of(engine, p, p.of, p.measured, {});
    const auto ratio = [&](const trained_network &of) {
        calibrator looks(engine, of, batch);
        looks.add(p.input.data());
        const calibration_data measured = looks.result();
        const double same = decibel(exact, logits_of(engine, p, of, measured, {}));
        check.that(same > 80, fmt::format("moved scales: the same function ({:.1f} dB)", same));
        layer_format format = integers(8, 8);
        format.groups = weight_groups::tensor;
        return decibel(exact, logits_of(engine, p, of, measured, format));
    };
    const trained_network outliers = with_outliers(p.of, 50, 16, 11);
    calibrator looks(engine, outliers, batch);
    looks.add(p.input.data());
    const double before = ratio(outliers);
    const double after = ratio(with_migrated_scales(outliers, looks.result()));
    check.that(after > before + 6,
        fmt::format("migration: {:.1f} dB before, {:.1f} dB after", before, after));
}

} // namespace

int main() {
    checks check;
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    for (const zoo_entry &each : known_networks()) formats_are_near_f32(check, engine, each.name);
    for (const char *name : {"digits", "characters", "transformer"})
        loss_is_that_of_training(check, engine, name);
    integers_are_exact(check, engine);
    weights_are_near(check);
    migration_helps(check, engine);
    return check.status();
}
