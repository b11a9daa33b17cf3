// SPDX-License-Identifier: Apache-2.0
// The tables on the terminal, and what all forms of the report share.
#include "report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace int8_accuracy {

double speed_up(const level_speed &level, std::size_t variant, std::size_t batch) {
    if (level.speeds.empty()) return 0;
    const double f32 = level.speeds[0].images_per_second[batch];
    return f32 > 0 ? level.speeds[variant].images_per_second[batch] / f32 : 0;
}

bool int8_bits_equal(const report &results) {
    std::string first;
    for (const level_speed &level : results.levels) {
        if (level.int8_checksum.empty()) continue;
        if (first.empty()) first = level.int8_checksum;
        if (level.int8_checksum != first) return false;
    }
    return true;
}

namespace {

std::string decibels(double value) {
    return std::isinf(value) ? "exact" : fmt::format("{:.1f}", value);
}

void print_quality(const char *title, const std::vector<variant_result> &variants) {
    fmt::print("\n{:<42} {:>9} {:>10}   {:>30}   {:>9}\n", title, "accuracy", "agreement",
        "SQNR per layer, dB", "bytes of");
    fmt::print("{:<42} {:>9} {:>10}  ", "", "%", "with f32 %");
    for (const layer_shape &shape : layers()) fmt::print(" {:>7}", shape.name);
    fmt::print("   {:>8}\n", "weights");
    for (const variant_result &v : variants) {
        fmt::print("{:<42} {:>9.2f} {:>10.2f}  ", v.how.name, 100 * v.accuracy, 100 * v.agreement);
        for (double value : v.sqnr) fmt::print(" {:>7}", decibels(value));
        fmt::print("   {:>8}\n", v.weight_bytes);
    }
}

void print_speed_cell(const level_speed &level, std::size_t variant) {
    const variant_speed &speed = level.speeds[variant];
    if (!speed.refusal.empty()) {
        fmt::print("   {}\n", speed.refusal);
        return;
    }
    for (std::size_t b = 0; b < speed_batches.size(); ++b)
        fmt::print(" {:>10.0f} {:>6.2f}x", speed.images_per_second[b], speed_up(level, variant, b));
    fmt::print("\n");
}

void print_speed(const report &results) {
    fmt::print("\nimages per second (fastest of nine rounds), and how many times as fast as f32 "
               "under the same cap\n");
    fmt::print("{:<18} {:<18} {:>10} {:>7} {:>10} {:>7}\n", "ONEDNN_MAX_CPU_ISA", "", "batch 1", "",
        "batch 64", "");
    for (const level_speed &level : results.levels) {
        if (!level.failure.empty())
            fmt::print("{:<18} failed: {}\n", level.level, level.failure);
        else if (!level.on_this_cpu)
            fmt::print("{:<18} this CPU does not have it\n", level.level);
        for (std::size_t v = 0; v < level.speeds.size(); ++v) {
            fmt::print("{:<18} {:<18}", v == 0 ? level.level : "", level.speeds[v].name);
            print_speed_cell(level, v);
        }
    }
    fmt::print(
        "int8 logits bit-equal under every cap: {}\n", int8_bits_equal(results) ? "yes" : "NO");
}

} // namespace

void print_tables(const report &results) {
    print_quality("variant", results.variants);
    print_quality("static int8: weights, activations, range", results.int8_variants);
    for (const std::string &reason : results.refused) fmt::print("not available: {}\n", reason);
    if (!results.levels.empty()) print_speed(results);
    fmt::print("\ntraining {:.1f} s, calibration and evaluation {:.1f} s, speed {:.1f} s\n",
        results.training.seconds, results.evaluation_seconds, results.speed_seconds);
}

} // namespace int8_accuracy
