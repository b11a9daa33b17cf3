// SPDX-License-Identifier: Apache-2.0
// Answers of networks, their scores, and the noise of their layers.
#include "judge.hpp"

#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace int8_accuracy {
namespace {

constexpr int batch = 64;
constexpr int noise_batches = 4; // as many objects tell the noise well enough, and fit into memory

/// 10 log10(sum x^2 / sum (x - approximation)^2).
double decibel(double signal, double noise) {
    return noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
}

} // namespace

score score_of(const answers &given, score_kind kind) {
    if (kind == score_kind::bits_per_character) return mean_of(given.losses);
    const auto right = std::count(given.right.begin(), given.right.end(), char(1));
    return accuracy_of(int(right), int(given.right.size()));
}

double p_value_of(const answers &first, const answers &second, score_kind kind) {
    if (kind == score_kind::bits_per_character) return paired_test(first.losses, second.losses);
    int first_only = 0, second_only = 0;
    for (std::size_t i = 0; i < first.right.size(); ++i) {
        first_only += first.right[i] && !second.right[i];
        second_only += second.right[i] && !first.right[i];
    }
    return paired_test(first_only, second_only);
}

double agreement_of(const answers &first, const answers &second) {
    double equal = 0;
    for (std::size_t i = 0; i < first.chosen.size(); ++i)
        equal += first.chosen[i] == second.chosen[i];
    return equal / double(first.chosen.size());
}

double loss_of(const score &found, const score &than, score_kind kind) {
    if (kind == score_kind::accuracy) return than.value - found.value;
    return 100 * (found.value - than.value);
}

judge::judge(const dnnl::engine &engine, const trained_network &trained, const encoding &how,
    const dataset &held_out, const calibration_data &measured, score_kind kind)
    : engine_(engine), trained_(trained), how_(how), held_out_(held_out), measured_(measured),
      kind_(kind) {
    runner exact(engine, trained, assignment(products()), measured, batch);
    for (int b = 0; b < noise_batches && b * batch < held_out.count(); ++b) {
        exact.run(encoded(b * batch).data());
        auto &results = exact_results_.emplace_back();
        for (int p = 0; p < products(); ++p) results.push_back(exact.result_of(p));
    }
    exact_ = ask(exact, nullptr, nullptr);
}

std::vector<float> judge::encoded(int begin) const {
    const int values = trained_.net.input().values();
    std::vector<float> input(std::size_t(batch) * values);
    encode_batch(held_out_, how_, {}, begin, batch, input.data());
    return input;
}

/// Rows of sequences come position by position, all objects of one position together.
void judge::take_answers(const float *logits, int begin, answers &to) const {
    const int classes = trained_.net.classes(), labels = trained_.net.labels();
    const int count = std::min(batch, held_out_.count() - begin);
    for (int i = 0; i < count; ++i) {
        double loss = 0;
        for (int position = 0; position < labels; ++position) {
            const float *row = logits + (std::size_t(position) * batch + i) * classes;
            const int label = held_out_.labels_of(begin + i)[position];
            const auto largest = std::max_element(row, row + classes);
            double sum = 0;
            for (int c = 0; c < classes; ++c) sum += std::exp(double(row[c]) - *largest);
            loss += (std::log(sum) + *largest - row[label]) / std::log(2.);
            to.chosen.push_back(int(largest - row));
            to.right.push_back(to.chosen.back() == label);
        }
        to.losses.push_back(loss / labels);
    }
}

answers judge::ask(
    runner &network, const layer_results *compared, std::vector<double> *noise) const {
    answers given;
    std::vector<double> signals(products()), errors(products());
    for (int b = 0; b * batch < held_out_.count(); ++b) {
        take_answers(network.run(encoded(b * batch).data()), b * batch, given);
        if (!compared || b >= int(compared->size())) continue;
        for (int p = 0; p < products(); ++p) {
            const std::vector<float> &exact = (*compared)[b][p], found = network.result_of(p);
            for (std::size_t i = 0; i < exact.size(); ++i) {
                const double error = double(exact[i]) - found[i];
                signals[p] += double(exact[i]) * exact[i];
                errors[p] += error * error;
            }
        }
    }
    for (int p = 0; noise && p < products(); ++p) noise->push_back(decibel(signals[p], errors[p]));
    return given;
}

method_result judge::judged(const std::string &name, const trained_network &other,
    const calibration_data &measured, const assignment &formats) const {
    method_result result;
    result.name = name;
    for (const layer_format &format : formats)
        result.simulated = result.simulated || simulated(format);
    try {
        runner tried(engine_, other, formats, measured, batch);
        const answers given = ask(tried, &exact_results_, &result.noise);
        result.found = score_of(given, kind_);
        result.p_value = p_value_of(exact_, given, kind_);
        result.agreement = agreement_of(exact_, given);
        for (int p = 0; p < products(); ++p) {
            result.weight_bytes.push_back(double(tried.weight_bytes(p)));
            result.moved_bytes.push_back(double(tried.moved_bytes(p)));
            result.implementations.push_back(tried.implementation(p));
        }
    } catch (const dnnl::error &refusal) {
        if (refusal.status != dnnl_unimplemented) throw;
        result.refusal = refusal.what();
    }
    return result;
}

method_result judge::judged(const std::string &name, const assignment &formats) const {
    return judged(name, trained_, measured_, formats);
}

answers judge::answered(const assignment &formats) const {
    runner tried(engine_, trained_, formats, measured_, batch);
    return ask(tried, nullptr, nullptr);
}

} // namespace int8_accuracy
