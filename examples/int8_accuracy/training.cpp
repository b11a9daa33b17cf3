// SPDX-License-Identifier: Apache-2.0
// The training loop: random order, random shifts, learning rate.
#include "training.hpp"

#include "../random_source.hpp"
#include "../reporting/progress.hpp"

#include "timer.hpp"
#include "training_network.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace int8_accuracy {

using examples::random_source;
using reporting::progress_bar;
namespace {

/// The normalised image moved by (dx, dy) pixels; what enters at the border is background.
void shifted(
    const dataset &images, int index, const normalization &norm, int dx, int dy, float *to) {
    std::array<std::uint8_t, image_pixels> moved {};
    const std::uint8_t *from = images.image(index);
    for (int y = std::max(0, dy); y < image_side + std::min(0, dy); ++y)
        for (int x = std::max(0, dx); x < image_side + std::min(0, dx); ++x)
            moved[y * image_side + x] = from[(y - dy) * image_side + x - dx];
    norm.apply(moved.data(), to);
}

/// Rises over the first twentieth of the training, then falls to zero along half a cosine.
float rate_at(const training_settings &settings, int done, int total) {
    constexpr double pi = 3.141592653589793;
    const double part = double(done) / total;
    const double rise = std::min(1., (part + .002) / .05);
    return static_cast<float>(settings.rate * rise * .5 * (1 + std::cos(pi * part)));
}

/// Feeds the batches of one epoch after the other.
class trainer {
  public:
    trainer(const dnnl::engine &engine, const dataset &images, const training_settings &settings)
        : images_(images), settings_(settings), norm_(measure_normalization(images)),
          network_(engine, random_parameters(settings.seed), settings.batch),
          random_(settings.seed + 1), batches_(images.count() / settings.batch),
          bar_("training", settings.epochs * batches_) {}

    training_result run() {
        const timer whole;
        training_result result;
        for (int epoch = 0; epoch < settings_.epochs; ++epoch) {
            result.epochs.push_back(run_epoch(epoch));
            const epoch_result &last = result.epochs.back();
            bar_.line(
                fmt::format("epoch {:2}/{}   loss {:.4f}   training accuracy {:6.2f} %   {:.2f} s",
                    epoch + 1, settings_.epochs, last.loss, 100 * last.accuracy, last.seconds));
        }
        result.trained = network_.trained();
        result.trained.norm = norm_;
        result.seconds = whole.seconds();
        return result;
    }

  private:
    epoch_result run_epoch(int epoch) {
        const timer clock;
        const std::vector<int> order = shuffled_indices(images_.count(), random_.bits());
        double loss = 0;
        int correct = 0;
        for (int b = 0; b < batches_; ++b) {
            const int done = epoch * batches_ + b;
            if (b % batches_per_rate == 0)
                network_.set_update(rate_at(settings_, done, settings_.epochs * batches_),
                    settings_.momentum, settings_.decay);
            const auto result = run_batch(order.data() + b * settings_.batch);
            loss += result.loss;
            correct += result.correct;
            bar_.show(done + 1, fmt::format("epoch {}  loss {:.4f}", epoch + 1,
                                    loss / ((b + 1) * settings_.batch)));
        }
        const double count = double(batches_) * settings_.batch;
        return {loss / count, correct / count, clock.seconds()};
    }

    training_network::batch_result run_batch(const int *indices) {
        std::vector<std::uint8_t> labels(settings_.batch);
        const int shifts = 2 * settings_.largest_shift + 1;
        for (int i = 0; i < settings_.batch; ++i) {
            const int dx = random_.below(shifts) - settings_.largest_shift;
            const int dy = random_.below(shifts) - settings_.largest_shift;
            shifted(images_, indices[i], norm_, dx, dy, network_.images() + i * image_pixels);
            labels[i] = images_.labels[indices[i]];
        }
        return network_.step(labels.data());
    }

    static constexpr int batches_per_rate = 16; // the learning rate stays for so many batches

    const dataset &images_;
    training_settings settings_;
    normalization norm_;
    training_network network_;
    random_source random_;
    int batches_; // per epoch; the rest that fills no batch waits for another epoch's order
    progress_bar bar_;
};

} // namespace

training_result train(
    const dnnl::engine &engine, const dataset &images, const training_settings &settings) {
    return trainer(engine, images, settings).run();
}

} // namespace int8_accuracy
