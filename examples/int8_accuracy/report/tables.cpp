// SPDX-License-Identifier: Apache-2.0
// Facts, training, scores, fixed point and mixed assignments as rows of texts.
#include "tables.hpp"

#include "figures.hpp"
#include "published.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

std::string score_title(const network_report &net) {
    return net.kind == score_kind::accuracy ? "accuracy %" : "bits per character";
}

std::string percent(double part) { return number(100 * part, 2); }

std::string bytes_text(const std::vector<double> &bytes) {
    return bytes.empty() ? "-" : count_text(sum(bytes));
}

/// "int8 static 12, bf16 2": how often each format stands there.
std::string counted(const std::vector<std::string> &formats) {
    std::vector<std::string> order;
    std::map<std::string, int> counts;
    for (const std::string &format : formats)
        if (counts[format]++ == 0) order.push_back(format);
    std::string text;
    for (const std::string &format : order)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[format], format);
    return text;
}

} // namespace

std::vector<std::string> facts_of(const network_report &net) {
    double multiplications = 0, weights = 0;
    for (const product_facts &p : net.products) {
        multiplications += p.multiplications;
        weights += p.weights;
    }
    return {fmt::format("{} layers with weights, {} weights, {} multiplications for one object.",
                net.products.size(), count_text(weights), count_text(multiplications)),
        fmt::format("{}: {} objects to train, {} held out, {} to calibrate.", net.origin,
            count_text(net.training_count), count_text(net.held_out_count),
            count_text(net.calibration_count)),
        net.weights_from.empty() ? "The weights were trained in this run."
                                 : fmt::format("The weights come from {}.", net.weights_from)};
}

text_table training_table(const network_report &net) {
    text_table t {"training",
        {"", "epochs", "seconds", "last loss, nats", "held-out " + score_title(net),
            "95 % interval"},
        {}, {}};
    for (const training_curve &c : net.training)
        t.rows.push_back({c.name, std::to_string(c.losses.size()), number(c.seconds, 1),
            c.losses.empty() ? "-" : number(c.losses.back(), 4), score_text(net.kind, c.found),
            interval_text(net.kind, c.found)});
    return t;
}

text_table scores_table(
    const network_report &net, const std::string &group, const std::string &caption) {
    text_table t {caption,
        {"", score_title(net), "95 % interval", "to f32", "p", "as f32 %", "weight bytes", "speed"},
        {}, {}};
    const method_result *f32 = reference(net);
    bool simulated = false;
    for (const method_result *m : methods_of(net, group)) {
        if (!ran(*m)) {
            t.notes.push_back(fmt::format("{} does not run: {}.", m->name, m->refusal));
            continue;
        }
        simulated = simulated || m->simulated;
        const bool other = f32 && m != f32;
        t.rows.push_back(
            {label_of(*m), score_text(net.kind, m->found), interval_text(net.kind, m->found),
                other ? difference_text(net.kind, m->found.value - f32->found.value) : "",
                other ? p_text(m->p_value) : "", percent(m->agreement), bytes_text(m->weight_bytes),
                ratio_text(speed_up(net, *m))});
    }
    if (!t.rows.empty() && group == "formats")
        t.notes.emplace_back(
            "As f32: part of the answers that equal those of f32. Speed: multiples "
            "of f32, where measured.");
    if (simulated) t.notes.emplace_back("* rounded to the format, computed in f32.");
    return t;
}

namespace {

std::vector<std::string> fixed_point_row(score_kind kind, const std::string &name, double f32,
    const double *untuned, const double *tuned) {
    const int decimals = decimals_of(kind);
    const auto value = [&](const double *v) { return v ? number(*v, decimals) : "-"; };
    const auto loss = [&](const double *v) {
        return v ? number(gain(kind, f32, *v), decimals) : "-";
    };
    return {name, number(f32, decimals), value(untuned), value(tuned), loss(untuned), loss(tuned)};
}

} // namespace

text_table fixed_point_table(const network_report &net) {
    text_table t {"dynamic fixed point, beside published networks",
        {"bits: outputs-convolutions-dense", "f32", "fixed point", "after fine-tuning", "loss",
            "loss after fine-tuning"},
        {}, {}};
    const method_result *f32 = reference(net);
    if (!f32) return t;
    std::set<std::string> seen;
    for (const method_result *m : methods_of(net, "fixed point")) {
        if (!ran(*m)) t.notes.push_back(fmt::format("{} does not run: {}.", m->name, m->refusal));
        if (!ran(*m) || !seen.insert(m->name).second) continue;
        const method_result *plain = find_method(net, m->name, m->group, false),
                            *tuned = find_method(net, m->name, m->group, true);
        t.rows.push_back(fixed_point_row(net.kind, net.name + ": " + m->name, f32->found.value,
            plain ? &plain->found.value : nullptr, tuned ? &tuned->found.value : nullptr));
    }
    if (t.rows.empty()) return t;
    if (net.kind != score_kind::accuracy) {
        t.caption = "dynamic fixed point";
        return t;
    }
    for (const published_row &p : published_rows)
        t.rows.push_back(fixed_point_row(net.kind,
            fmt::format("{} {}-{}-{} (published)", p.network, p.output_bits, p.convolution_bits,
                p.dense_bits),
            p.f32, &p.fixed_point, &p.fine_tuned));
    t.notes.push_back(fmt::format("Published rows: {}.", published_source));
    return t;
}

text_table mixed_table(const network_report &net) {
    text_table t {"fastest mixed assignments",
        {"allowed loss", score_title(net), "95 % interval", "to f32", "weight bytes", "speed",
            "formats"},
        {}, {}};
    const method_result *f32 = reference(net);
    for (const mixed_assignment &m : net.mixed)
        t.rows.push_back({fmt::format("{:g}", m.allowed_loss), score_text(net.kind, m.found),
            interval_text(net.kind, m.found),
            f32 ? difference_text(net.kind, m.found.value - f32->found.value) : "-",
            count_text(m.weight_bytes), ratio_text(f32 ? ratio(m.speed, f32->speed) : 0),
            counted(m.formats)});
    t.notes.emplace_back(net.kind == score_kind::accuracy
                             ? "Allowed losses are points of accuracy."
                             : "Allowed losses are hundredths of a bit per character.");
    return t;
}

text_table mixed_layers_table(const network_report &net) {
    text_table t {"formats of the layers in the mixed assignments", {"layer"}, {}, {}};
    if (net.mixed.empty()) return t;
    for (const mixed_assignment &m : net.mixed)
        t.titles.push_back(fmt::format("loss {:g} allowed", m.allowed_loss));
    for (std::size_t l = 0; l < net.products.size(); ++l) {
        std::vector<std::string> row {net.products[l].name};
        for (const mixed_assignment &m : net.mixed)
            row.push_back(l < m.formats.size() ? m.formats[l] : "-");
        t.rows.push_back(row);
    }
    return t;
}

} // namespace int8_accuracy
