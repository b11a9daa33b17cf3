// SPDX-License-Identifier: Apache-2.0
// A small network in bf16, f16 and int8 beside f32: how far the results are from each other, and
// which tensors are stored as integers. The rules of calibration on values with a few large ones.
#include "builder.hpp"

#include "../allow.hpp"
#include "../inspect.hpp"
#include "../program/inputs.hpp"

#include <fmt/core.h>

#include <cmath>

namespace {

using namespace dnnl_onnx;

int failures = 0;

void expect(bool right, const std::string &what) {
    fmt::print("{}{}\n", right ? "passed: " : "FAILED: ", what);
    failures += !right;
}

/// Three convolutions, one of them depthwise, a residual sum, and a product of matrices.
model small_network() {
    builder b;
    b.input("x", {2, 8, 12, 10});
    const attribute pads = integers({1, 1, 1, 1});
    const std::string first =
        b.node("Relu", {b.node("Conv", {"x", b.weights({16, 8, 1, 1}), b.weights({16})})});
    const std::string second = b.node("Relu", {b.node("Conv", {first, b.weights({16, 1, 3, 3})},
                                                  {{"group", integer(16)}, {"pads", pads}})});
    const std::string third = b.node("Conv", {second, b.weights({8, 16, 3, 3})}, {{"pads", pads}});
    const std::string mean = b.node("GlobalAveragePool", {b.node("Add", {third, "x"})});
    b.output(b.node("MatMul", {b.node("Flatten", {mean}), b.weights({8, 6})}));
    return b.finished();
}

double decibels(const tensor &wanted, const tensor &found) {
    const std::vector<double> x = wanted.numbers(), y = found.numbers();
    double signal = 0, noise = 1e-30;
    for (std::size_t i = 0; i < x.size(); ++i) {
        signal += x[i] * x[i];
        noise += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return 10 * std::log10(signal / noise);
}

/// The types of the results of the convolutions, in order.
std::string types_of_convolutions(const network &net) {
    std::string text;
    for (const step &s : net.last_programs().at(0)->list()) {
        if (s.kind != "convolution") continue;
        const std::string layout = text_of(s.arguments[s.written.at(0)].second.desc);
        text += (text.empty() ? "" : " ") + layout.substr(0, layout.find(' '));
    }
    return text;
}

void check_types() {
    network plain(small_network());
    const named_tensors given {{"x", random_tensor({element_type::f32, {2, 8, 12, 10}}, 1)}};
    const tensor wanted = plain.run(given).at(0);
    using library = dnnl::memory::data_type;
    for (const auto &[type, least] :
        {std::pair(library::bf16, 35.), std::pair(library::f16, 50.)}) {
        network_options options;
        options.types.floats = type;
        network other(small_network(), options);
        const double found = decibels(wanted, other.run(given).at(0));
        expect(found >= least && found < 120,
            fmt::format("{}: {:.1f} dB", type == library::bf16 ? "bf16" : "f16", found));
    }
    calibrator calibration;
    calibration.add(plain, given);
    for (const auto &[rule, name] : {std::pair(calibration::range_rule::min_max, "min-max"),
             std::pair(calibration::range_rule::least_squares, "least squares"),
             std::pair(calibration::range_rule::percentile, "percentile"),
             std::pair(calibration::range_rule::divergence, "divergence")}) {
        network_options options;
        options.types.sources = calibration.result(rule);
        network other(small_network(), options);
        const double found = decibels(wanted, other.run(given).at(0));
        expect(found >= 20 && found < 80, fmt::format("int8 by {}: {:.1f} dB", name, found));
        expect(types_of_convolutions(other) == "u8 u8 f32",
            "results that only products take are integers: " + types_of_convolutions(other));
        options.types.keep = {"Conv4"}; // the third convolution
        network kept(small_network(), options);
        const double better = decibels(wanted, kept.run(given).at(0));
        expect(types_of_convolutions(kept) == "u8 f32 f32" && better > 20,
            fmt::format("one convolution stays in f32: {:.1f} dB", better));
    }
}

/// A convolution between quantised tensors, as exporters write it: QuantizeLinear and
/// DequantizeLinear around it.
model quantized_network() {
    builder b;
    b.input("x", {2, 8, 9, 7});
    const auto bytes = [&](extents dims, element_type type, int step) {
        tensor made(type, std::move(dims));
        for (std::int64_t i = 0; i < made.count(); ++i)
            made.data<std::int8_t>()[i] =
                std::int8_t(type == element_type::s8 ? i * step % 201 - 100 : step);
        return b.constant(made);
    };
    const std::string scale = b.number(1 / 128.f), zero = bytes({}, element_type::u8, 117);
    const std::string out = b.number(0.05f), out_zero = bytes({}, element_type::u8, 130);
    const std::string x =
        b.node("DequantizeLinear", {b.node("QuantizeLinear", {"x", scale, zero}), scale, zero});
    const std::string w = b.node("DequantizeLinear",
        {bytes({6, 8, 3, 3}, element_type::s8, 37), b.weights({6}, 0.001f, 0.003f),
            b.constant(tensor(element_type::s8, {6}))},
        {{"axis", integer(0)}});
    const std::string y = b.node("Relu", {b.node("Conv", {x, w, b.weights({6})})});
    const std::string q = b.node("QuantizeLinear", {y, out, out_zero});
    b.output(b.node("DequantizeLinear", {q, out, out_zero}));
    return b.finished();
}

void check_quantized_network() {
    network_options options;
    options.types.keep = {"Conv"}; // the convolution of f32 between them
    network integers(quantized_network()), floats(quantized_network(), options);
    const named_tensors given {{"x", random_tensor({element_type::f32, {2, 8, 9, 7}}, 1)}};
    const tensor found = integers.run(given).at(0), wanted = floats.run(given).at(0);
    std::size_t far = 0, other = 0;
    for (std::int64_t i = 0; i < found.count(); ++i) {
        const float d = std::abs(found.data<float>()[i] - wanted.data<float>()[i]);
        other += d > 0;
        far += d > 0.0501f; // a rounding may fall to the other side, by one step
    }
    expect(far == 0 && other * 200 < std::size_t(found.count()),
        fmt::format(
            "pairs of quantise and dequantise: {} of {} differ by a step", other, found.count()));
    expect(types_of_convolutions(integers) == "u8" && types_of_convolutions(floats) == "f32",
        "the convolution between them takes and gives integers");
}

void check_ranges() {
    std::vector<float> values;
    const tensor uniform = random_tensor({element_type::f32, {100000, 12}}, 1);
    for (std::int64_t i = 0; i < 100000; ++i) { // a sum of twelve is a bell of deviation 2
        float sum = 0;
        for (int k = 0; k < 12; ++k) sum += uniform.data<float>()[i * 12 + k];
        values.push_back(sum);
    }
    values.push_back(50);
    calibration::collector collected;
    collected.add(values.data(), 1000);
    collected.add(values.data() + 1000, values.size() - 1000);
    const calibration::histogram h = collected.result();
    double count = 0;
    for (double c : h.counts) count += c;
    expect(count == double(values.size()), "the histogram has every value");
    using calibration::range_rule;
    const auto grid = calibration::activation_grid::asymmetric;
    const auto high = [&](range_rule rule) {
        return calibration::chosen_range(h, rule, grid).high;
    };
    expect(high(range_rule::min_max) >= 50 && high(range_rule::min_max) < 51, "min-max keeps all");
    expect(high(range_rule::percentile) < 10, "the percentile leaves the outlier");
    expect(high(range_rule::divergence) < 25, "the divergence clips");
}

void check_allowance() {
    const auto same = [](std::vector<float> a, std::vector<float> b, extents dims) {
        return changed_decisions(
            {floats_tensor(a).reshaped(dims)}, {floats_tensor(b).reshaped(dims)});
    };
    expect(same({1, 2, 3, 4}, {1, 2, 4, 3}, {2, 2}) == 50, "the place of the largest");
    expect(same({.1f, .9f, .2f, .8f}, {.1f, .4f, .2f, .8f}, {1, 4}) == 25, "above a half");
    expect(same({.4f, .6f, .7f, .3f}, {.45f, .55f, .4f, .6f}, {2, 2}) == 50, "rows of classes");

    // Values in [0, 0.01] beside one of 100: 8 bits leave nothing of them.
    builder b;
    b.input("x", {64, 8});
    tensor first(element_type::f32, {8, 8}), second(element_type::f32, {8, 8});
    for (int i = 0; i < 8; ++i) first.data<float>()[i * 9] = second.data<float>()[i * 9] = 1;
    const std::string taken = b.node("MatMul", {"x", b.constant(first)});
    const std::string small = b.node("Mul", {taken, b.weights({1, 8}, .009f, .01f)});
    const std::string large = b.node("Concat",
        {small, b.constant(floats_tensor(std::vector<float>(8, 100)).reshaped({1, 8}))},
        {{"axis", integer(0)}});
    const std::string lost = b.node("MatMul", {large, b.constant(second)});
    b.output(b.node(
        "Slice", {lost, b.constant(integers_tensor({0})), b.constant(integers_tensor({64}))}));
    const model made = b.finished();
    const named_tensors given {{"x", random_tensor({element_type::f32, {64, 8}}, 3)}};
    network plain(made);
    calibrator seen;
    seen.add(plain, given);
    network_options options;
    options.types.sources = seen.result(calibration::range_rule::min_max);
    const kept_products all = products_to_keep(made, options, {given}, 100);
    expect(all.nodes.empty() && all.all == 2 && all.changed > 20,
        fmt::format("all in integers: {:.0f} % change", all.changed));
    const kept_products some = products_to_keep(made, options, {given}, 5);
    expect(some.nodes.size() == 1 && some.changed <= 5 &&
               some.nodes[0].find(lost) != std::string::npos,
        fmt::format("one of {} stays in f32: {:.1f} % change", some.all, some.changed));
    options.types.keep = some.nodes;
    network mixed(made, options);
    expect(std::abs(changed_decisions(plain.run(given), mixed.run(given)) - some.changed) < 1e-9,
        "the network that keeps it");
}

} // namespace

int main() {
    check_types();
    check_quantized_network();
    check_ranges();
    check_allowance();
    return failures > 0;
}
