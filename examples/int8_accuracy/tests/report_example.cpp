// SPDX-License-Identifier: Apache-2.0
// Numbers of plausible size from simple formulas.
#include "report_example.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How a method of the example does: its loss in points, bytes per weight, speed against f32.
struct example_method {
    const char *name, *group;
    bool simulated, tuned;
    double loss, bytes, speed, noise;
};

constexpr example_method methods[] = {
    {"f32", "formats", false, false, 0, 4, 1, infinity},
    {"bf16", "formats", false, false, .02, 2, 1.62, 46},
    {"f16", "formats", false, false, 0, 2, 1.31, 61},
    {"f8_e4m3", "formats", true, false, .21, 1, 0, 28},
    {"f8_e5m2", "formats", true, false, .74, 1, 0, 22},
    {"mx_f8", "formats", true, false, .17, 1.03, 0, 29},
    {"int8 static", "formats", false, false, .12, 1, 2.74, 33},
    {"int8 dynamic", "formats", false, false, .08, 1, 1.93, 35},
    {"int4 weights", "formats", true, false, 2.6, .5, 0, 18},
    {"per tensor, symmetric, min-max", "methods", false, false, 1.34, 1, 2.81, 24},
    {"per channel, symmetric, min-max", "methods", false, false, .61, 1, 2.79, 27},
    {"per channel, asymmetric, min-max", "methods", false, false, .31, 1, 2.72, 30},
    {"per channel, asymmetric, percentile", "methods", false, false, .19, 1, 2.73, 31},
    {"per channel, asymmetric, divergence", "methods", false, false, .4, 1, 2.72, 29},
    {"per channel, migrated", "methods", false, false, .14, 1, 2.7, 32},
    {"per channel, tuned rounding", "methods", false, false, .1, 1, 2.74, 34},
    {"groups of 32", "methods", false, false, .09, 1.1, 1.4, 34},
    {"8-8-8", "fixed point", true, false, .5, 1, 0, 25},
    {"8-8-8", "fixed point", true, true, .2, 1, 0, 26},
    {"4-4-4", "fixed point", true, false, 31.4, .5, 0, 8},
    {"4-4-4", "fixed point", true, true, 4.8, .5, 0, 10},
    {"4-2-2", "fixed point", true, false, 70.2, .25, 0, 2},
    {"4-2-2", "fixed point", true, true, 17.5, .25, 0, 4},
};

score score_at(score_kind kind, double base, double loss) {
    if (kind == score_kind::accuracy) {
        const double value = std::max(10., base - loss),
                     half = 19.6 * std::sqrt(value) * std::sqrt(100.5 - value) / 100 / 4.5;
        return {value, value - half, std::min(100., value + half)};
    }
    const double value = base + .03 * loss;
    return {value, value - .021, value + .021};
}

calibration::histogram bell(double low, double high, double deviation) {
    calibration::histogram h {{float(low), float(high)}, std::vector<double>(256)};
    for (std::size_t bin = 0; bin < h.counts.size(); ++bin) {
        const double x = h.centre(bin) / deviation;
        h.counts[bin] = std::floor(1e5 * std::exp(-x * x / 2)) + (bin % 37 == 0 ? 1 : 0);
    }
    return h;
}

method_result result_of(const example_method &m, const network_report &net, double base) {
    method_result r {m.name, m.group, m.simulated, m.tuned, {}, 1, 1, {}, {}, {}, 0, "", {}};
    r.found = score_at(net.kind, base, m.loss);
    r.p_value = m.loss == 0 ? 1 : std::exp(-3 * m.loss);
    r.agreement = std::max(.1, 1 - m.loss / 60);
    for (std::size_t l = 0; l < net.products.size(); ++l) {
        r.noise.push_back(m.noise - double(7 * l % 11) * .8);
        r.weight_bytes.push_back(m.bytes * net.products[l].weights);
        r.moved_bytes.push_back(m.bytes * (net.products[l].weights + 4096. / double(l + 1)));
        r.implementations.push_back(m.simulated ? "simulated" : "jit:avx512_core");
    }
    r.speed = m.speed * 41000 / double(net.products.size());
    return r;
}

void add_speeds(network_report &net) {
    net.batches = {1, 64};
    const char *names[] = {"DEFAULT", "AVX2", "AVX2_VNNI", "AVX512_CORE", "AVX512_CORE_VNNI",
        "AVX512_CORE_BF16", "AVX512_CORE_AMX"};
    for (int l = 0; l < 7; ++l) {
        level_speed level {names[l], l != 6, "", "", {}};
        if (level.on_this_cpu) level.checksum = "0123456789abcdef";
        const double f32 = 2e4 * (l == 0 ? 2 : 1 + .2 * l) / double(net.products.size());
        const double gains[] = {1, l == 0 || l == 5 ? 1.6 : .7,
            l == 0 || l > 3 || l == 2 ? 2.7 : 1.3, l == 0 || l > 3 ? 1.9 : 1.1};
        const char *methods[] = {"f32", "bf16", "int8 static", "int8 dynamic"};
        for (int m = 0; m < 4 && level.on_this_cpu; ++m)
            level.methods.push_back({methods[m], {f32 * gains[m] / 3, f32 * gains[m]}, ""});
        net.levels.push_back(level);
    }
    net.levels[1].methods[1] = {
        "bf16", {}, "could not create a primitive descriptor: unimplemented"};
    net.speed_seconds = 61.5;
}

void add_training(network_report &net, double base) {
    for (const char *name : {"f32", "bf16 with f32 masters"}) {
        const bool bf16 = name[0] == 'b';
        training_curve curve {name, {}, {}, bf16 ? 31.25 : 44.5, {}};
        for (int epoch = 0; epoch < 12; ++epoch) {
            curve.losses.push_back(2.2 / (1 + epoch) + (bf16 ? .03 : .02));
            curve.accuracies.push_back(98 - 60. / (1 + epoch * epoch));
        }
        if (net.kind == score_kind::bits_per_character) curve.accuracies.clear();
        curve.found = score_at(net.kind, base, bf16 ? .05 : 0);
        net.training.push_back(curve);
    }
}

void add_products(network_report &net, int count) {
    for (int l = 0; l < count; ++l) {
        const bool last = l + 1 == count;
        const std::string name = last ? "dense1" : fmt::format("convolution{}", l + 1);
        net.products.push_back({name, 9.5e5 / (1 + l % 5), 1152. * (l + 1), 1.5 + l,
            l == 0 ? bell(-1.5, 2.8, .8) : bell(0, 4 + l, 1 + .1 * l)});
    }
}

network_report network_of(
    const std::string &name, score_kind kind, int products, double base, bool speeds) {
    network_report net;
    net.name = name;
    net.text = "input 3 32 32\nconvolution 16 kernel 3\nrelu\ndense 10\n";
    net.kind = kind;
    net.origin = "drawn <objects> & \"textures\", seed 1";
    net.training_count = 8000;
    net.held_out_count = 2000;
    net.calibration_count = 512;
    net.evaluation_seconds = 12.125;
    add_products(net, products);
    add_training(net, base);
    for (const example_method &m : methods) {
        net.methods.push_back(result_of(m, net, base));
        if (!speeds) net.methods.back().speed = 0;
    }
    method_result refused {"f16 with f16 sums", "formats", false, false, {}, 1, 1, {}, {}, {}, 0,
        "could not create a primitive descriptor for an inner product forward propagation "
        "primitive: unimplemented",
        {}};
    net.methods.push_back(refused);
    for (int l = 0; l < products; ++l)
        net.layers.push_back({net.products[l].name, score_at(kind, base, .03 * (5 * l % 7)),
            score_at(kind, base, .12 - .01 * (l % 3))});
    for (double allowed : {.1, .5}) {
        mixed_assignment mixed {allowed, {}, score_at(kind, base, allowed * .8), 4e5,
            speeds ? 2.4 * 41000 / products : 0.};
        for (int l = 0; l < products; ++l)
            mixed.formats.push_back(l % 4 == 0 && allowed < .3 ? "bf16" : "int8 static");
        net.mixed.push_back(mixed);
    }
    if (speeds) add_speeds(net);
    return net;
}

} // namespace

report example_report() {
    report r;
    r.cpu = "Example CPU @ 2.00GHz";
    r.library = "dnnl 3.13.0";
    r.threads = 1;
    r.seed = 18446744073709551615u;
    using enum score_kind;
    r.networks = {network_of("digits", accuracy, 4, 98.5, true),
        network_of("residual", accuracy, 21, 91.25, true),
        network_of("separable", accuracy, 13, 88.1, true),
        network_of("characters", bits_per_character, 5, 2.413, true),
        network_of("transformer", bits_per_character, 13, 2.204, false)};
    r.networks[1].weights_from = "residual.weights";
    return r;
}

} // namespace int8_accuracy
