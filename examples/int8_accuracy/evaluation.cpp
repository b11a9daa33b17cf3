// SPDX-License-Identifier: Apache-2.0
// Runs the variants of the network over a set of images and compares them with f32.
#include "evaluation.hpp"

#include "../reporting/progress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace int8_accuracy {

using reporting::progress_bar;
namespace {

constexpr int batch = 64;

int most_probable(const float *row) {
    return static_cast<int>(std::max_element(row, row + class_count) - row);
}

/// Sums for 10 log10(signal / noise).
struct noise_meter {
    double signal = 0, noise = 0;

    void add(
        const std::vector<float> &exact, const std::vector<float> &approximate, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const double x = exact[i], error = x - approximate[i];
            signal += x * x;
            noise += error * error;
        }
    }

    double decibel() const {
        return noise > 0 ? 10 * std::log10(signal / noise)
                         : std::numeric_limits<double>::infinity();
    }
};

/// What the f32 network says about the images; computed once, then compared with.
struct exact_results {
    std::vector<std::vector<float>> inputs;                          // normalised batches
    std::vector<std::array<std::vector<float>, layer_count>> layers; // of each batch
    std::vector<int> classes;
};

exact_results run_f32(
    const dnnl::engine &engine, const parameters &trained, const dataset &images) {
    classifier exact(engine, trained, {}, {}, batch);
    exact_results results;
    for (int begin = 0; begin < images.count(); begin += batch) {
        results.inputs.push_back(normalized_batch(images, trained.norm, begin, batch));
        const float *probabilities = exact.run(results.inputs.back().data());
        for (int i = 0; i < std::min(batch, images.count() - begin); ++i)
            results.classes.push_back(most_probable(probabilities + i * class_count));
        auto &layer = results.layers.emplace_back();
        for (int l = 0; l < layer_count; ++l) layer[l] = exact.layer_result(l);
    }
    return results;
}

variant_result compare(const dnnl::engine &engine, const parameters &trained, const variant &how,
    const calibration &measured, const dataset &images, const exact_results &exact) {
    classifier tried(engine, trained, how, measured, batch);
    variant_result result {how, 0, 0, {}, tried.weight_bytes(), {}, {}};
    std::array<noise_meter, layer_count> meters;
    int correct = 0, agreed = 0;
    for (std::size_t b = 0; b < exact.inputs.size(); ++b) {
        const int begin = static_cast<int>(b) * batch;
        const int count = std::min(batch, images.count() - begin);
        const float *probabilities = tried.run(exact.inputs[b].data());
        for (int i = 0; i < count; ++i) {
            const int chosen = most_probable(probabilities + i * class_count);
            correct += chosen == images.labels[begin + i];
            agreed += chosen == exact.classes[begin + i];
            result.classes.push_back(chosen);
        }
        for (int l = 0; l < layer_count; ++l) {
            const auto &expected = exact.layers[b][l];
            meters[l].add(expected, tried.layer_result(l), expected.size() / batch * count);
        }
    }
    result.accuracy = double(correct) / images.count();
    result.agreement = double(agreed) / images.count();
    for (int l = 0; l < layer_count; ++l) {
        result.sqnr[l] = meters[l].decibel();
        result.implementations[l] = tried.implementation(l);
    }
    return result;
}

} // namespace

calibration calibrate(
    const dnnl::engine &engine, const parameters &trained, const dataset &images) {
    classifier exact(engine, trained, {}, {}, batch);
    std::array<std::vector<float>, layer_count> values;
    for (int begin = 0; begin + batch <= images.count(); begin += batch) {
        const std::vector<float> input = normalized_batch(images, trained.norm, begin, batch);
        exact.run(input.data());
        values[0].insert(values[0].end(), input.begin(), input.end());
        for (int l = 0; l + 1 < layer_count; ++l) {
            const std::vector<float> result = exact.layer_result(l);
            values[l + 1].insert(values[l + 1].end(), result.begin(), result.end());
        }
    }
    calibration measured;
    constexpr std::size_t bins = 2048;
    for (int l = 0; l < layer_count; ++l) measured[l] = make_histogram(values[l], bins);
    return measured;
}

std::vector<variant_result> evaluate(const dnnl::engine &engine, const parameters &trained,
    const std::vector<variant> &variants, const calibration &measured, const dataset &images,
    std::vector<std::string> &refused) {
    progress_bar bar("evaluating", static_cast<int>(variants.size()));
    const exact_results exact = run_f32(engine, trained, images);
    std::vector<variant_result> results;
    for (const variant &how : variants) {
        bar.show(static_cast<int>(results.size()), how.name);
        try {
            results.push_back(compare(engine, trained, how, measured, images, exact));
        } catch (const dnnl::error &refusal) {
            if (refusal.status != dnnl_unimplemented) throw;
            refused.push_back(fmt::format("{}: {}", how.name, refusal.what()));
        }
    }
    return results;
}

std::vector<variant> main_variants() {
    const auto u8 = activation_grid::asymmetric;
    const auto rule = range_rule::least_squares;
    return {
        {"f32", arithmetic::f32, {}, {}, {}},
        {"bf16", arithmetic::bf16, {}, {}, {}},
        {"int8 per tensor", arithmetic::int8_static, weight_scales::per_tensor, u8, rule},
        {"int8 per channel", arithmetic::int8_static, weight_scales::per_channel, u8, rule},
        {"int8 dynamic", arithmetic::int8_dynamic, weight_scales::per_channel, u8, {}},
    };
}

std::vector<variant> static_int8_variants() {
    std::vector<variant> all;
    for (auto weights : {weight_scales::per_tensor, weight_scales::per_channel})
        for (auto grid : {activation_grid::symmetric, activation_grid::asymmetric})
            for (auto rule : {range_rule::min_max, range_rule::least_squares})
                all.push_back(
                    {fmt::format("{}, {}, {}",
                         weights == weight_scales::per_channel ? "per channel" : "per tensor",
                         grid == activation_grid::symmetric ? "symmetric s8" : "zero point u8",
                         rule == range_rule::min_max ? "min-max" : "least squares"),
                        arithmetic::int8_static, weights, grid, rule});
    return all;
}

} // namespace int8_accuracy
