// SPDX-License-Identifier: Apache-2.0
// Feeds the batches of one epoch after the other.
#include "training.hpp"

#include "../../random_source.hpp"
#include "../../reporting/progress.hpp"
#include "../execution/timer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

namespace int8_accuracy {

using examples::random_source;

float rate_at(const training_settings &settings, int done, int total) {
    const double part = double(done) / total;
    const double rise = std::min(1., (part + .002) / .05);
    return float(settings.rate * rise * .5 * (1 + std::cos(std::numbers::pi * part)));
}

namespace {

class trainer {
  public:
    trainer(const dnnl::engine &engine, const training_task &task,
        const training_settings &settings, arithmetic numbers, const std::string &label,
        const training_hooks &hooks)
        : task_(task), settings_(settings),
          network_(engine, task.net, task.start, settings.batch, numbers, settings.update, hooks),
          random_(settings.seed), batches_(std::max(1, task.objects.count() / settings.batch)),
          label_(label), bar_(label, settings.epochs * batches_) {}

    training_result run(bool lines) {
        const timer clock;
        training_result result;
        result.curve.name = label_;
        for (int epoch = 0; epoch < settings_.epochs; ++epoch) {
            const timer of_epoch;
            const training_network::batch_result all = run_epoch(epoch);
            const double loss = all.loss / all.rows, accuracy = 100. * all.right / all.rows;
            if (!std::isfinite(loss))
                throw std::runtime_error(fmt::format(
                    "{}: the loss of epoch {} is not a number: the rate {} is too large", label_,
                    epoch + 1, settings_.rate));
            result.curve.losses.push_back(loss);
            result.curve.accuracies.push_back(accuracy);
            if (lines)
                bar_.line(fmt::format("{}, epoch {:2}/{}   {}   {:.2f} s", label_, epoch + 1,
                    settings_.epochs, words(loss, accuracy), of_epoch.seconds()));
        }
        result.learned = network_.trained();
        result.curve.seconds = clock.seconds();
        return result;
    }

  private:
    std::string words(double loss, double accuracy) const {
        if (task_.kind == score_kind::bits_per_character)
            return fmt::format("{:.3f} bits per character", loss / std::numbers::ln2);
        return fmt::format("loss {:.4f}, accuracy {:.2f} %", loss, accuracy);
    }

    training_network::batch_result run_epoch(int epoch) {
        const std::vector<int> order = shuffled_indices(task_.objects.count(), random_.bits());
        training_network::batch_result all;
        for (int b = 0; b < batches_; ++b) {
            const int done = epoch * batches_ + b;
            const int begin = b * settings_.batch;
            encode_moved_batch(task_.objects, task_.how, settings_.moves, random_.bits(), order,
                begin, settings_.batch, network_.input());
            const auto result =
                network_.step(labels_of_batch(task_.objects, order, begin, settings_.batch),
                    rate_at(settings_, done, settings_.epochs * batches_));
            all.loss += result.loss;
            all.right += result.right;
            all.rows += result.rows;
            bar_.show(done + 1, fmt::format("epoch {}  {}", epoch + 1,
                                    words(all.loss / all.rows, 100. * all.right / all.rows)));
        }
        return all;
    }

    const training_task &task_;
    training_settings settings_;
    training_network network_;
    random_source random_;
    int batches_; // of an epoch
    std::string label_;
    reporting::progress_bar bar_;
};

} // namespace

training_result train(const dnnl::engine &engine, const training_task &task,
    const training_settings &settings, arithmetic numbers, const std::string &label, bool lines,
    const training_hooks &hooks) {
    return trainer(engine, task, settings, numbers, label, hooks).run(lines);
}

} // namespace int8_accuracy
