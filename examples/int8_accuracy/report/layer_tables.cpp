// SPDX-License-Identifier: Apache-2.0
// Tables with a row per layer, and speeds under each cap.
#include "figures.hpp"
#include "tables.hpp"

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

std::string value_at(const std::vector<double> &values, std::size_t i) {
    return i < values.size() ? count_text(values[i]) : "-";
}

/// Bytes as multiples of those of int8, "4.00 : 2.00 : 1.00".
std::string ratios(double f32, double bf16, double int8) {
    return fmt::format("{} : {} : {}", number(ratio(f32, int8), 2), number(ratio(bf16, int8), 2),
        number(ratio(int8, int8), 2));
}

} // namespace

text_table noise_table(const network_report &net, const std::string &group) {
    text_table t {fmt::format("signal to quantisation noise of each layer's result, dB: {}", group),
        {"layer"}, {}, {}};
    std::vector<const method_result *> shown;
    for (const method_result &m : net.methods)
        if (ran(m) && m.group == group && &m != reference(net) && !m.noise.empty()) {
            shown.push_back(&m);
            t.titles.push_back(label_of(m));
        }
    for (std::size_t l = 0; l < net.products.size() && !shown.empty(); ++l) {
        std::vector<std::string> row {net.products[l].name};
        for (const method_result *m : shown)
            row.push_back(l < m->noise.size() ? decibel_text(m->noise[l]) : "-");
        t.rows.push_back(row);
    }
    return t;
}

text_table causes_table(const network_report &net) {
    text_table t {"why layers lose: unequal channels, far inputs, and the noise that follows, dB",
        {"layer", "widest channel / median", "largest input / rms"}, {}, {}};
    std::vector<const method_result *> shown;
    for (const method_result *m : {find_method(net, per_tensor_name, "methods", false),
             find_method(net, per_channel_name, "methods", false), static_int8(net)})
        if (m && ran(*m) && m->noise.size() == net.products.size()) {
            shown.push_back(m);
            t.titles.push_back(label_of(*m));
        }
    for (std::size_t l = 0; l < net.products.size() && !shown.empty(); ++l) {
        const product_facts &p = net.products[l];
        std::vector<std::string> row {
            p.name, number(p.spread, 2), number(peak_to_rms(p.source), 1)};
        for (const method_result *m : shown) row.push_back(decibel_text(m->noise[l]));
        t.rows.push_back(row);
    }
    if (!t.rows.empty())
        t.notes.emplace_back("A channel is that of the layer's weights; its width is its largest "
                             "weight. With one scale for all, narrow channels keep few integers, "
                             "and a far input leaves few to the usual ones.");
    return t;
}

text_table sensitivity_table(const network_report &net) {
    text_table t {"sensitivity to static int8, the costliest layer first",
        {"layer", "this one alone", "95 % interval", "to f32", "all but this one", "95 % interval",
            "to f32"},
        {}, {}};
    const method_result *f32 = reference(net);
    const auto difference = [&](const score &s) {
        return f32 ? difference_text(net.kind, s.value - f32->found.value) : "-";
    };
    for (const sensitivity &s : by_cost(net))
        t.rows.push_back({s.layer, score_text(net.kind, s.alone), interval_text(net.kind, s.alone),
            difference(s.alone), score_text(net.kind, s.all_but),
            interval_text(net.kind, s.all_but), difference(s.all_but)});
    return t;
}

text_table bytes_table(const network_report &net) {
    text_table t {"bytes moved by each layer for one object: source, weights, result",
        {"layer", "multiplications", "weights", "f32", "bf16", "int8", "f32 : bf16 : int8"}, {},
        {}};
    const method_result *f32 = reference(net), *bf16 = bfloat16(net), *int8 = static_int8(net);
    if (!f32 || !bf16 || !int8 || f32->moved_bytes.empty() || bf16->moved_bytes.empty() ||
        int8->moved_bytes.empty())
        return t;
    for (std::size_t l = 0; l < net.products.size(); ++l)
        t.rows.push_back({net.products[l].name, count_text(net.products[l].multiplications),
            count_text(net.products[l].weights), value_at(f32->moved_bytes, l),
            value_at(bf16->moved_bytes, l), value_at(int8->moved_bytes, l),
            ratios(f32->moved_bytes[l], bf16->moved_bytes[l], int8->moved_bytes[l])});
    const double all[] = {sum(f32->moved_bytes), sum(bf16->moved_bytes), sum(int8->moved_bytes)};
    double multiplications = 0, weights = 0;
    for (const product_facts &p : net.products) {
        multiplications += p.multiplications;
        weights += p.weights;
    }
    t.rows.push_back(
        {"all layers", count_text(multiplications), count_text(weights), count_text(all[0]),
            count_text(all[1]), count_text(all[2]), ratios(all[0], all[1], all[2])});
    return t;
}

namespace {

void add_level(text_table &t, const network_report &net, const level_speed &level) {
    if (level.methods.empty()) {
        t.notes.push_back(fmt::format("{}: {}.", level.level,
            !level.failure.empty() ? "failed: " + level.failure
                                   : "this processor does not have it"));
        return;
    }
    for (std::size_t m = 0; m < level.methods.size(); ++m) {
        const method_speed &method = level.methods[m];
        if (!method.refusal.empty()) {
            t.notes.push_back(
                fmt::format("{}, {}: does not run: {}.", level.level, method.name, method.refusal));
            continue;
        }
        std::vector<std::string> row {level.level, method.name};
        for (std::size_t b = 0; b < net.batches.size(); ++b) {
            row.push_back(value_at(method.per_second, b));
            row.push_back(ratio_text(speed_up(level, m, b)));
        }
        t.rows.push_back(row);
    }
}

} // namespace

text_table speed_table(const network_report &net) {
    text_table t {fmt::format("{} per second, and multiples of f32 under the same cap",
                      net.kind == score_kind::accuracy ? "objects" : "characters"),
        {"cap", "method"}, {}, {}};
    for (int batch : net.batches) {
        t.titles.push_back(fmt::format("batch {}", batch));
        t.titles.emplace_back("/ f32");
    }
    for (const level_speed &level : net.levels) add_level(t, net, level);
    if (!t.rows.empty())
        t.notes.push_back(
            !net.exact        ? "Exp, tanh and square roots in f32 end in other last bits at "
                                "other levels, and so do results of int8."
            : equal_bits(net) ? "The results of static int8 have equal bits under all caps."
                              : "The results of static int8 DIFFER between caps.");
    return t;
}

} // namespace int8_accuracy
