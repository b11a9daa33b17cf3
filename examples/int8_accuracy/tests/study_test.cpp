// SPDX-License-Identifier: Apache-2.0
// A whole study of a small network, its methods by name, and what a report then holds.
#include "../data/digits.hpp"
#include "../networks/network_text.hpp"
#include "../report/comparison.hpp"
#include "../report/figures.hpp"
#include "../report/json.hpp"
#include "../study/methods.hpp"
#include "../study/study.hpp"

#include "checks.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include <unistd.h>

using namespace int8_accuracy;

namespace {

constexpr const char *small_network = "input 1 28 28\n"
                                      "convolution 8 kernel 5 stride 2\n"
                                      "relu\n"
                                      "maximum 2\n"
                                      "convolution 16 kernel 3\n"
                                      "normalization\n"
                                      "relu\n"
                                      "maximum 2\n"
                                      "dense 10\n";

void methods_have_names_of_their_own(checks &check) {
    std::set<std::string> names;
    std::size_t count = 0;
    for (const auto &list : {format_methods(), integer_methods(true)})
        for (const method &each : list) {
            names.insert(each.name);
            ++count;
        }
    check.that(names.size() == count, fmt::format("{} methods have names of their own", count));
    check.that(names.count(per_tensor_name) == 1 && names.count(per_channel_name) == 1,
        "the methods that remarks look for are there");
    check.that(format_methods().front().name == "f32" &&
                   format_methods().front().format == layer_format {},
        "f32 is the first");
    const network net = parse_network(small_network, "small");
    const assignment bits = fixed_point_assignment(net, {4, 2, 16, false});
    check.that(bits.size() == 3 && bits[0].source_bits == 4 && bits[0].weight_bits == 2 &&
                   bits[1].weight_bits == 2 && bits[2].weight_bits == 16,
        "bits of convolutions and of dense layers");
}

problem small_problem() {
    problem of;
    of.net = parse_network(small_network, "small");
    of.net.name = "small";
    of.data = split(draw_digits(2400, 5), 1920, 5, "drawn digits, seed 5");
    of.how = measure_encoding(of.data.training);
    of.training.epochs = 6;
    of.training.rate = .1f;
    of.training.batch = 32;
    return of;
}

const method_result &named(const network_report &in, const char *name, const char *group) {
    const method_result *found = find_method(in, name, group, false);
    if (!found) throw std::logic_error(fmt::format("no method {}", name));
    return *found;
}

void methods_do_what_they_say(checks &check, const network_report &net) {
    const method_result &f32 = net.methods.front();
    const method_result &int8 = named(net, "int8 static", "formats");
    const method_result &bf16 = named(net, "bf16", "formats");
    const method_result &int16 = named(net, "int16", "formats");
    const method_result &two_bits = named(net, "2-2-2", "fixed point");
    check.that(f32.found.value > 60, fmt::format("f32 has learned: {:.1f} %", f32.found.value));
    check.that(f32.p_value == 1 && f32.agreement == 1, "f32 agrees with itself");
    check.that(bf16.agreement > .98 && int8.agreement > .95 && int16.agreement >= bf16.agreement,
        fmt::format("agreement of bf16 {:.4f}, int8 {:.4f}, int16 {:.4f}", bf16.agreement,
            int8.agreement, int16.agreement));
    check.that(mean_noise(int16) > mean_noise(int8) + 20 && mean_noise(int8) > 15 &&
                   mean_noise(two_bits) < mean_noise(int8) - 10,
        fmt::format("noise of int16 {:.1f}, int8 {:.1f}, 2 bits {:.1f} dB", mean_noise(int16),
            mean_noise(int8), mean_noise(two_bits)));
    // 200 + 1152 + 1440 weights; 34 channels with a bias in f32 and, of int8, a scale.
    check.that(sum(f32.weight_bytes) == 4 * 2792 + 4 * 34 &&
                   sum(bf16.weight_bytes) == 2 * 2792 + 4 * 34 &&
                   sum(int8.weight_bytes) == 2792 + 8 * 34,
        fmt::format("weights take {:.0f}, {:.0f} and {:.0f} bytes", sum(f32.weight_bytes),
            sum(bf16.weight_bytes), sum(int8.weight_bytes)));
    for (const method_result &each : net.methods)
        if (!each.refusal.empty() || each.noise.size() != net.products.size())
            check.that(false, fmt::format("{} {}: {}", each.group, each.name, each.refusal));
    check.that(net.layers.size() == 3 && net.mixed.size() == 2 && net.mixed[0].formats.size() == 3,
        "a sensitivity and a mixed format for each product");
    check.that(gain(net.kind, f32.found.value, net.mixed[1].found.value) <= .5 &&
                   net.mixed[1].weight_bytes <= sum(f32.weight_bytes),
        "the mixed assignment keeps to the allowed loss");
}

void fine_tuning_helps(checks &check, const network_report &net) {
    const double before = named(net, "2-2-2", "fixed point").found.value;
    const method_result *tuned = find_method(net, "2-2-2", "fixed point", true);
    check.that(tuned && tuned->found.value > before,
        fmt::format("2 bits: {:.1f} % before and {:.1f} % after fine-tuning", before,
            tuned ? tuned->found.value : 0.));
}

} // namespace

int main() {
    checks check;
    methods_have_names_of_their_own(check);

    namespace fs = std::filesystem;
    const fs::path file = fs::temp_directory_path() / fmt::format("study_test.{}", getpid());
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const problem of = small_problem();
    study_settings settings;
    settings.weights = file;
    settings.calibration_count = 128;
    settings.speed = false;
    const network_report first = study(engine, of, settings);
    methods_do_what_they_say(check, first);
    fine_tuning_helps(check, first);
    check.that(first.training.size() == 2 &&
                   first.training[1].found.value > first.training[0].found.value - 5,
        "bf16 with f32 masters learns, too");

    settings.fine_tuning = false;
    const network_report again = study(engine, of, settings);
    bool same = again.training.empty() && again.weights_from == file.string();
    for (const method_result &each : again.methods) {
        const method_result *before = find_method(first, each.name, each.group, each.tuned);
        same = same && before && before->found.value == each.found.value &&
               before->noise == each.noise;
    }
    check.that(same, "weights from a file give the same figures without training");
    report all {"cpu", "library", 2, 1, {again}};
    check.that(to_json(from_json(to_json(all), "again")) == to_json(all), "the report as JSON");
    fs::remove(file);
    return check.status();
}
