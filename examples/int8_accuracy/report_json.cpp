// SPDX-License-Identifier: Apache-2.0
// The report as JSON, for other programs.
#include "report.hpp"

#include "../reporting/html.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace int8_accuracy {
namespace {

using json = nlohmann::ordered_json;

/// JSON has no infinity: an exact result is null.
json decibels(double value) { return std::isinf(value) ? json() : json(value); }

json quality(const std::vector<variant_result> &variants) {
    json list = json::array();
    for (const variant_result &v : variants) {
        json sqnr, implementations;
        for (int l = 0; l < layer_count; ++l) {
            sqnr[layers()[l].name] = decibels(v.sqnr[l]);
            implementations[layers()[l].name] = v.implementations[l];
        }
        list.push_back({{"name", v.how.name}, {"accuracy", v.accuracy},
            {"agreement_with_f32", v.agreement}, {"sqnr_db", sqnr},
            {"weight_bytes", v.weight_bytes}, {"implementations", implementations}});
    }
    return list;
}

json training(const report &results) {
    json epochs = json::array();
    for (const epoch_result &e : results.training.epochs)
        epochs.push_back(
            {{"loss", e.loss}, {"training_accuracy", e.accuracy}, {"seconds", e.seconds}});
    return {{"batch", results.settings.batch}, {"rate", results.settings.rate},
        {"momentum", results.settings.momentum}, {"decay", results.settings.decay},
        {"seed", results.settings.seed}, {"epochs", epochs}, {"seconds", results.training.seconds}};
}

json ranges(const calibration &measured) {
    const char *names[layer_count] = {"images", "conv1", "conv2", "ip1"};
    json list;
    for (int l = 0; l < layer_count; ++l) {
        const value_range all = measured[l].range;
        const value_range clipped = least_squares_range(measured[l], activation_grid::asymmetric);
        const quantizer q = quantizer_for(clipped, activation_grid::asymmetric);
        list[names[l]] = {{"min_max", {all.low, all.high}},
            {"least_squares", {clipped.low, clipped.high}}, {"scale", q.scale},
            {"zero_point", q.zero_point}};
    }
    return list;
}

json speed(const report &results) {
    json list = json::array();
    for (const level_speed &level : results.levels) {
        json variants = json::array();
        for (std::size_t v = 0; v < level.speeds.size(); ++v) {
            json line {{"name", level.speeds[v].name}};
            for (std::size_t b = 0; b < speed_batches.size(); ++b)
                line["batch_" + std::to_string(speed_batches[b])] = {
                    {"images_per_second", level.speeds[v].images_per_second[b]},
                    {"speed_up", speed_up(level, v, b)}};
            if (!level.speeds[v].refusal.empty()) line["refused"] = level.speeds[v].refusal;
            variants.push_back(line);
        }
        list.push_back({{"max_cpu_isa", level.level}, {"on_this_cpu", level.on_this_cpu},
            {"int8_checksum", level.int8_checksum}, {"variants", variants}});
        if (!level.failure.empty()) list.back()["failure"] = level.failure;
    }
    return list;
}

} // namespace

void write_json(const report &results, const std::filesystem::path &path) {
    const json all {{"cpu", results.cpu}, {"library", results.library},
        {"threads", results.threads},
        {"data", {{"origin", results.origin}, {"training_images", results.training_images},
                     {"held_out_images", results.held_out_images},
                     {"calibration_images", results.calibration_images}}},
        {"training", training(results)}, {"activation_ranges", ranges(results.measured)},
        {"variants", quality(results.variants)},
        {"static_int8_variants", quality(results.int8_variants)}, {"refused", results.refused},
        {"speed", speed(results)},
        {"int8_bits_equal_under_every_cap",
            results.levels.empty() ? json() : json(int8_bits_equal(results))},
        {"seconds",
            {{"training", results.training.seconds}, {"evaluation", results.evaluation_seconds},
                {"speed", results.speed_seconds}}}};
    reporting::write_text(all.dump(2) + "\n", path);
}

} // namespace int8_accuracy
