// SPDX-License-Identifier: Apache-2.0
// Derives sentences from scores, noise and speeds.
#include "remarks.hpp"

#include "figures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

constexpr double significant = .05;

/// "0.35 points", "0.021 bits per character".
std::string amount(score_kind kind, double value) {
    return number(std::fabs(value), decimals_of(kind)) +
           (kind == score_kind::accuracy ? " points" : " bits per character");
}

double loss_of(const network_report &net, const score &found) {
    const method_result *f32 = reference(net);
    return f32 ? gain(net.kind, f32->found.value, found.value) : 0;
}

/// Names have commas of their own.
std::string in_quotes(const std::string &name) { return '"' + name + '"'; }

bool within(double value, const score &of) { return value >= of.low && value <= of.high; }

/// Whether the loss shows in the last digit that is written.
bool visible(score_kind kind, double loss) {
    return std::fabs(loss) >= .5 * std::pow(10, -decimals_of(kind));
}

std::string chance(double p) {
    return p < significant ? fmt::format("more than chance explains (p {})",
                                 p < .001 ? p_text(p) : "= " + p_text(p))
                           : fmt::format("within what chance explains (p = {})", p_text(p));
}

std::string int8_sentence(const network_report &net, const method_result &int8) {
    const double loss = loss_of(net, int8.found);
    if (!visible(net.kind, loss))
        return fmt::format("{} is as good as f32; {} % of the answers agree.", in_quotes(int8.name),
            number(100 * int8.agreement, 2));
    return fmt::format("{} {} {} against f32, {}; {} % of the answers agree.", in_quotes(int8.name),
        loss > 0 ? "loses" : "gains", amount(net.kind, loss), chance(int8.p_value),
        number(100 * int8.agreement, 2));
}

/// Of all methods but fixed point, which has a sentence of its own.
std::string worst_sentence(const network_report &net) {
    const method_result *worst = nullptr;
    int beyond = 0, compared = 0;
    for (const method_result &m : net.methods) {
        if (!ran(m) || &m == reference(net) || m.group == "fixed point") continue;
        ++compared;
        if (m.p_value < significant && loss_of(net, m.found) > 0) ++beyond;
        if (!worst || loss_of(net, m.found) > loss_of(net, worst->found)) worst = &m;
    }
    if (!worst || !visible(net.kind, loss_of(net, worst->found)) || loss_of(net, worst->found) <= 0)
        return {};
    return fmt::format("Of {} methods, {} {} more than chance explains; most is lost by {}: {}.",
        compared, beyond, beyond == 1 ? "loses" : "lose", in_quotes(worst->name),
        amount(net.kind, loss_of(net, worst->found)));
}

/// The layer where a method's noise is largest, that is its ratio least.
std::string noise_sentence(const network_report &net, const method_result &method) {
    const auto least = std::min_element(method.noise.begin(), method.noise.end(),
        [](double a, double b) { return !std::isnan(a) && (std::isnan(b) || a < b); });
    if (least == method.noise.end() || !std::isfinite(*least)) return {};
    const auto layer = std::size_t(least - method.noise.begin());
    if (layer >= net.products.size()) return {};
    return fmt::format("The noise of {} is largest in {}: {} dB, against {} dB on average.",
        in_quotes(method.name), net.products[layer].name, number(*least, 1),
        number(mean_noise(method), 1));
}

/// What one scale for all weights of a layer and the extremes of its inputs cost, where, and why.
std::string per_tensor_sentence(const network_report &net) {
    const method_result *worst = find_method(net, per_tensor_name, "methods", false);
    if (!worst || !ran(*worst) || worst->noise.size() != net.products.size()) return {};
    const double loss = loss_of(net, worst->found);
    if (loss <= 0 || !visible(net.kind, loss)) return {};
    const auto layer = std::size_t(
        std::min_element(worst->noise.begin(), worst->noise.end()) - worst->noise.begin());
    const product_facts &p = net.products[layer];
    return fmt::format("{} loses {}, {}. Its noise is largest in {} ({} dB), whose widest output "
                       "channel has weights {} times as large as the median channel, and whose "
                       "largest input is {} times the root mean square.",
        in_quotes(worst->name), amount(net.kind, loss), chance(worst->p_value), p.name,
        number(worst->noise[layer], 1), number(p.spread, 1), number(peak_to_rms(p.source), 1));
}

std::string sensitivity_sentence(const network_report &net) {
    const std::vector<sensitivity> layers = by_cost(net);
    if (layers.empty() || !reference(net)) return {};
    const sensitivity &first = layers.front();
    const double loss = loss_of(net, first.alone);
    if (loss <= 0 || !visible(net.kind, loss))
        return "No layer loses anything when it alone is int8.";
    return fmt::format("Alone in int8, {} costs most: {}, {} the interval of f32.", first.layer,
        amount(net.kind, loss),
        within(first.alone.value, reference(net)->found) ? "within" : "outside");
}

std::string fixed_point_sentence(const network_report &net) {
    double before = 0, after = 0;
    std::string name;
    for (const method_result *m : methods_of(net, "fixed point")) {
        const method_result *tuned = find_method(net, m->name, m->group, true);
        if (!ran(*m) || m->tuned || !tuned || !ran(*tuned)) continue;
        const double loss = loss_of(net, m->found);
        if (loss <= before) continue;
        before = loss;
        after = loss_of(net, tuned->found);
        name = m->name;
    }
    if (name.empty()) return {};
    return fmt::format("Fixed point {} loses {} without fine-tuning and {} after it.", name,
        amount(net.kind, before), after > 0 ? amount(net.kind, after) : std::string("nothing"));
}

std::string fastest_sentence(const network_report &net) {
    const method_result *fastest = nullptr, *free = nullptr; // free: without a proven loss
    for (const method_result &m : net.methods) {
        const double speed = ran(m) ? speed_up(net, m) : 0;
        if (speed <= 0) continue;
        if (!fastest || speed > speed_up(net, *fastest)) fastest = &m;
        const bool loses = m.p_value < significant && loss_of(net, m.found) > 0;
        if (!loses && (!free || speed > speed_up(net, *free))) free = &m;
    }
    if (!fastest) return {};
    if (fastest == reference(net)) return "On this processor nothing is faster than f32.";
    std::string text = fmt::format("On this processor {} is fastest, {} times as fast as f32",
        in_quotes(fastest->name), number(speed_up(net, *fastest), 2));
    if (free && free != fastest && free != reference(net))
        text += fmt::format("; of those whose loss chance explains, it is {} with {} times",
            in_quotes(free->name), number(speed_up(net, *free), 2));
    return text + ".";
}

/// The gain of static int8 under each cap, at the largest batch.
std::string caps_sentence(const network_report &net) {
    if (net.batches.empty()) return {};
    const std::size_t batch = net.batches.size() - 1;
    std::string least_level, most_level, name;
    double least = 0, most = 0;
    for (const level_speed &level : net.levels)
        for (std::size_t m = 0; m < level.methods.size(); ++m) {
            if (!level.methods[m].name.starts_with("int8")) continue;
            const double gained = speed_up(level, m, batch);
            if (gained > 0 && (least == 0 || gained < least)) {
                least = gained;
                least_level = level.level;
            }
            if (gained > most) {
                most = gained;
                most_level = level.level;
            }
            if (name.empty()) name = level.methods[m].name;
            break; // the first one is static
        }
    if (least_level == most_level) return {};
    return fmt::format("The gain depends on the machine: at batch {}, {} is {} times as fast as "
                       "f32 under {} and {} times under {}.",
        net.batches[batch], in_quotes(name), number(least, 2), least_level, number(most, 2),
        most_level);
}

std::string bytes_sentence(const network_report &net) {
    const method_result *f32 = reference(net), *int8 = static_int8(net);
    if (!f32 || !int8) return {};
    const double fewer = ratio(sum(f32->weight_bytes), sum(int8->weight_bytes));
    if (fewer <= 0) return {};
    return fmt::format("The weights take {} bytes in int8, f32 has {} times as many.",
        count_text(sum(int8->weight_bytes)), number(fewer, 2));
}

std::string training_sentence(const network_report &net) {
    if (net.training.size() < 2 || net.training[0].losses.empty()) return {};
    const training_curve &f32 = net.training[0], &other = net.training[1];
    if (other.losses.empty()) return {};
    const double faster = ratio(f32.seconds, other.seconds);
    return fmt::format("Trained as {}, the network reaches {} {} instead of {}, {} the interval of "
                       "f32{}.",
        in_quotes(other.name), score_text(net.kind, other.found), unit_of(net.kind),
        score_text(net.kind, f32.found),
        within(other.found.value, f32.found) ? "within" : "outside",
        faster > 0 ? fmt::format(", and takes {} times the seconds", number(1 / faster, 2)) : "");
}

} // namespace

std::vector<std::string> remarks_of(const network_report &net) {
    std::vector<std::string> found {training_sentence(net)};
    if (const method_result *int8 = static_int8(net); int8 && reference(net)) {
        found.push_back(int8_sentence(net, *int8));
        found.push_back(noise_sentence(net, *int8));
    }
    found.push_back(sensitivity_sentence(net));
    found.push_back(per_tensor_sentence(net));
    found.push_back(worst_sentence(net));
    found.push_back(fixed_point_sentence(net));
    found.push_back(bytes_sentence(net));
    found.push_back(fastest_sentence(net));
    found.push_back(caps_sentence(net));
    if (!equal_bits(net))
        found.emplace_back("The results of static int8 differ between caps: that is an error.");
    std::erase(found, std::string());
    return found;
}

void add_remarks(report &results) {
    for (network_report &net : results.networks) net.remarks = remarks_of(net);
}

} // namespace int8_accuracy
