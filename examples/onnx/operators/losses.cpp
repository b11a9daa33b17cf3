// SPDX-License-Identifier: Apache-2.0
// Losses of classifiers, as training graphs have them.
#include "loops.hpp"
#include "tables.hpp"

#include <algorithm>
#include <cmath>

namespace dnnl_onnx {

namespace {

/// What is taken of the losses of all samples.
enum class taken { each, sum, mean };

struct loss_rule {
    taken what;
    bool ignores = false;
    std::int64_t ignored = 0;
};

/// Scores are [samples, classes, positions...], labels [samples, positions...].
loss_rule rule_of(op_context &c) {
    extents wanted = c.dims(0);
    if (wanted.size() < 2) c.fail("its scores have no classes");
    wanted.erase(wanted.begin() + 1);
    if (c.dims(1) != wanted) c.fail("its labels have the extents " + text_of(c.dims(1)));
    if (c.has(2) && c.dims(2) != extents {c.dims(0)[1]}) c.fail("its weights do not fit");
    if (c.in(1).type != element_type::s64 && c.in(1).type != element_type::s32)
        c.fail("its labels are " + text_of(c.in(1)));
    const std::string text = c.text("reduction", "mean");
    loss_rule rule {text == "none" ? taken::each : text == "sum" ? taken::sum : taken::mean};
    rule.ignores = c.has_attribute("ignore_index");
    rule.ignored = c.integer("ignore_index", 0);
    if (!is_float(c.in(0).type)) c.fail("its scores are " + text_of(c.in(0)));
    c.output(0, c.in(0).type, rule.what == taken::each ? wanted : extents());
    return rule;
}

std::vector<double> numbers_of(const tensor_view &from) {
    std::vector<double> to;
    with_number(from.type->type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (std::int64_t i = 0; i < from.count(); ++i)
            to.push_back(double(arithmetic_type<T>(from.data<T>()[i])));
    });
    return to;
}

void store(const std::vector<double> &from, const tensor_view &to) {
    with_number(to.type->type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (std::size_t i = 0; i < from.size(); ++i)
            to.data<T>()[i] = T(arithmetic_type<T>(from[i]));
    });
}

/// The negative of the score of each sample's label, times the label's weight. A mean is over the
/// weights that were taken.
void give_loss(const loss_rule &rule, const std::string &text, const std::vector<double> &scores,
    const axis_view &view, views in, const tensor_view &to) {
    const std::vector<double> labels = numbers_of(in[1]);
    const bool weighted = in.size() > 2 && in[2];
    const std::vector<double> weights = weighted ? numbers_of(in[2]) : std::vector<double>();
    std::vector<double> losses(labels.size());
    double sum = 0, total = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto label = std::int64_t(labels[i]);
        if (rule.ignores && label == rule.ignored) continue;
        if (label < 0 || label >= view.extent)
            throw error(text + ": there is no class " + std::to_string(label));
        const std::int64_t sample = std::int64_t(i) / view.inner,
                           position = std::int64_t(i) % view.inner;
        const double weight = weighted ? weights[std::size_t(label)] : 1;
        losses[i] =
            -weight * scores[std::size_t((sample * view.extent + label) * view.inner + position)];
        sum += losses[i];
        total += weight;
    }
    if (rule.what == taken::each)
        store(losses, to);
    else
        store({rule.what == taken::sum ? sum : sum / total}, to);
}

host_step negative_log_likelihood(op_context &c) {
    const loss_rule rule = rule_of(c);
    return [rule, text = c.asked.text()](views in, views out) {
        give_loss(rule, text, numbers_of(in[0]), around(in[0].dims(), 1), in, out[0]);
    };
}

host_step softmax_cross_entropy(op_context &c) {
    const loss_rule rule = rule_of(c);
    c.output(1, c.in(0).type, c.dims(0));
    return [rule, text = c.asked.text()](views in, views out) {
        std::vector<double> scores = numbers_of(in[0]);
        const axis_view view = around(in[0].dims(), 1);
        for (std::int64_t o = 0; o < view.outer; ++o)
            for (std::int64_t n = 0; n < view.inner; ++n) {
                const auto at = [&](std::int64_t i) -> double & {
                    return scores[std::size_t((o * view.extent + i) * view.inner + n)];
                };
                double largest = at(0), sum = 0;
                for (std::int64_t i = 1; i < view.extent; ++i) largest = std::max(largest, at(i));
                for (std::int64_t i = 0; i < view.extent; ++i) sum += std::exp(at(i) - largest);
                for (std::int64_t i = 0; i < view.extent; ++i) at(i) -= largest + std::log(sum);
            }
        if (out.size() > 1 && out[1]) store(scores, out[1]);
        give_loss(rule, text, scores, view, in, out[0]);
    };
}

} // namespace

operator_table loss_operators() {
    static const operator_entry table[] = {
        {"NegativeLogLikelihoodLoss", negative_log_likelihood},
        {"SoftmaxCrossEntropyLoss", softmax_cross_entropy},
    };
    return table;
}

} // namespace dnnl_onnx
