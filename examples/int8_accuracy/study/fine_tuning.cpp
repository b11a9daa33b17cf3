// SPDX-License-Identifier: Apache-2.0
// Rounding hooks for training, from the formats of products.
#include "fine_tuning.hpp"

#include "../quantization/fixed_point.hpp"
#include "../quantization/sources.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace int8_accuracy {
namespace {

struct fixed_format {
    int bits, fraction;
};

/// Layers whose results products read. Where readers differ in bits, the most are taken: each of
/// them rounds to its own at inference.
std::map<int, fixed_format> formats_of_results(
    const network &net, const calibration_data &measured, const assignment &formats) {
    std::map<int, fixed_format> found;
    const std::vector<int> products = net.products();
    for (std::size_t p = 0; p < products.size(); ++p) {
        const int bits = formats[p].source_bits;
        const number_grid grid = source_grid(net, products[p], formats[p], measured);
        const fixed_format format {bits, -std::ilogb(grid.scale)};
        const int source = net.layers[std::size_t(products[p])].from.front();
        const auto [at, fresh] = found.emplace(source, format);
        if (!fresh && at->second.bits < bits) at->second = format;
    }
    return found;
}

training_hooks hooks_of(
    const network &net, const calibration_data &measured, const assignment &formats) {
    const std::vector<int> products = net.products();
    std::map<int, int> weight_bits;
    for (std::size_t p = 0; p < products.size(); ++p)
        weight_bits[products[p]] = formats[p].weight_bits;
    training_hooks hooks;
    // The best place of the point moves slowly while weights are trained: it is looked for, in five
    // passes over the tensor, at every 16th step. A layer may have several tensors, each its
    // buffer.
    struct place {
        int steps = 0, fraction = 0;
    };
    hooks.weights = [weight_bits, places = std::map<const float *, place>()](
                        int l, float *values, std::size_t count) mutable {
        const int bits = weight_bits.at(l);
        place &at = places[values];
        if (at.steps++ % 16 == 0) at.fraction = best_fraction_bits(values, count, bits);
        round_to_fixed_point(values, values, count, bits, at.fraction);
    };
    hooks.result = [results = formats_of_results(net, measured, formats)](
                       int l, float *values, std::size_t count) {
        if (const auto found = results.find(l); found != results.end())
            round_to_fixed_point(values, values, count, found->second.bits, found->second.fraction);
    };
    return hooks;
}

} // namespace

trained_network fine_tuned(const dnnl::engine &engine, const problem &of,
    const trained_network &folded, const calibration_data &measured, const assignment &formats,
    const std::string &label) {
    training_settings settings = of.training;
    settings.epochs = std::max(1, (of.training.epochs + 1) / 4);
    // Without normalization, images take a fifth of the rate at most; and a fifth again.
    settings.rate =
        of.net.input().sequence() ? of.training.rate / 10 : std::min(of.training.rate, .02f) / 5;
    settings.update.largest_norm = 1; // weights without normalization jump otherwise
    settings.seed = of.training.seed + 17;
    const training_task task {folded.net, folded.learned, of.data.training, of.how, of.kind};
    trained_network tuned = folded;
    tuned.learned = train(engine, task, settings, arithmetic::f32, label, false,
        hooks_of(folded.net, measured, formats))
                        .learned;
    return tuned;
}

} // namespace int8_accuracy
