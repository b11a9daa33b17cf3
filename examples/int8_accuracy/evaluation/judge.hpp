// SPDX-License-Identifier: Apache-2.0
// Runs a network in one format after the other over the held-out data and compares with f32.
#pragma once

#include "../data/dataset.hpp"
#include "../inference/runner.hpp"
#include "../quantization/calibration.hpp"
#include "../report/results.hpp"

#include <string>
#include <vector>

namespace int8_accuracy {

/// What a network says about each label of the data, in the order of the objects.
struct answers {
    std::vector<int> chosen;    // the most probable class
    std::vector<char> right;    // whether it is the label
    std::vector<double> losses; // -log2 p(label), a mean for each object
};

/// The score of the answers: of the right ones, or of the losses.
score score_of(const answers &given, score_kind kind);

/// Two sets of answers to the same data.
double p_value_of(const answers &first, const answers &second, score_kind kind);
double agreement_of(const answers &first, const answers &second);

/// How much worse `found` is than `than`: points, or hundredths of a bit per character.
double loss_of(const score &found, const score &than, score_kind kind);

class judge {
  public:
    /// Computes the f32 answers. `trained` is folded; everything must outlive the object.
    judge(const dnnl::engine &engine, const trained_network &trained, const encoding &how,
        const dataset &held_out, const calibration_data &measured, score_kind kind);

    const answers &exact() const { return exact_; }
    score exact_score() const { return score_of(exact_, kind_); }
    score_kind kind() const { return kind_; }
    int products() const { return int(trained_.net.products().size()); }

    /// Everything but the speed. A format that the library refuses has its reason in `refusal`.
    method_result judged(const std::string &name, const assignment &formats) const;

    /// The same for another network that computes the same function in f32, with its own
    /// calibration.
    method_result judged(const std::string &name, const trained_network &other,
        const calibration_data &measured, const assignment &formats) const;

    /// The answers alone. Throws dnnl::error if the library refuses.
    answers answered(const assignment &formats) const;

  private:
    /// f32 results of each product for the objects of the first batches.
    using layer_results = std::vector<std::vector<std::vector<float>>>;

    answers ask(runner &network, const layer_results *compared, std::vector<double> *noise) const;
    void take_answers(const float *logits, int begin, answers &to) const;
    std::vector<float> encoded(int begin) const;

    const dnnl::engine &engine_;
    const trained_network &trained_;
    const encoding &how_;
    const dataset &held_out_;
    const calibration_data &measured_;
    score_kind kind_;
    answers exact_;
    layer_results exact_results_;
};

} // namespace int8_accuracy
