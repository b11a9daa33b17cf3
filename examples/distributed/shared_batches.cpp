// SPDX-License-Identifier: Apache-2.0
// One step: shares in turn, sums over shares and ranks, the same update everywhere.
#include "shared_batches.hpp"

#include "../int8_accuracy/execution/timer.hpp"
#include "../random_source.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace distributed {

using namespace int8_accuracy;
using examples::random_source;

shared_batches::shared_batches(const dnnl::engine &engine, const problem &of, const group &ranks,
    const shared_settings &settings)
    : of_(of), ranks_(ranks), settings_(settings),
      share_rows_(of.training.batch / std::max(1, settings.shares)),
      batches_(of.data.training.count() / of.training.batch),
      exchange_(ranks, settings.bucket_bytes, settings.patience) {
    if (settings.shares < 1 || settings.shares % ranks.size() != 0)
        throw std::runtime_error(
            fmt::format("{} shares of a batch cannot be divided among {} ranks", settings.shares,
                ranks.size()));
    if (of.training.batch % settings.shares != 0)
        throw std::runtime_error(fmt::format(
            "a batch of {} cannot be cut into {} shares", of.training.batch, settings.shares));
    if (batches_ < 1)
        throw std::runtime_error(fmt::format("a batch of {} is more than the {} objects there are",
            of.training.batch, of.data.training.count()));
    const std::size_t own = std::size_t(settings.shares / ranks.size());
    gradients_.assign(own, std::vector<std::vector<std::span<float>>>(of.net.layers.size()));
    const parameters start = random_parameters(of.net, of.training.seed);
    for (std::size_t s = 0; s < own; ++s) {
        training_hooks hooks;
        hooks.gradients = [this, s](int layer, const std::vector<std::span<float>> &spans) {
            take_gradients(s, layer, spans);
        };
        networks_.push_back(std::make_unique<network>(engine, of.net, start, share_rows_,
            arithmetic::bf16_with_master, of.training.update, hooks));
    }
}

/// The last share of this rank adds up those before it, and hands the sum on.
void shared_batches::take_gradients(
    std::size_t share, int layer, const std::vector<std::span<float>> &own) {
    gradients_[share][std::size_t(layer)] = own;
    if (share + 1 < networks_.size()) return;
    for (std::size_t s = share; s-- > 0;)
        for (std::size_t t = 0; t < own.size(); ++t) {
            const std::span<float> other = gradients_[s][std::size_t(layer)][t];
            std::transform(own[t].begin(), own[t].end(), other.begin(), own[t].begin(),
                [](float a, float b) { return a + b; });
        }
    exchange_.add(own);
}

exchange_time shared_batches::step(int epoch, int batch, const std::vector<int> &order,
    std::uint64_t moves, std::vector<double> &losses_and_hits) {
    const dataset &objects = of_.data.training;
    const int first_share = ranks_.rank() * int(networks_.size());
    for (std::size_t s = 0; s < networks_.size(); ++s) {
        const int share = first_share + int(s);
        const int begin = batch * of_.training.batch + share * share_rows_;
        encode_moved_batch(objects, of_.how, of_.training.moves, moves + std::uint64_t(share),
            order, begin, share_rows_, networks_[s]->input());
        const auto result =
            networks_[s]->compute_gradients(labels_of_batch(objects, order, begin, share_rows_));
        losses_and_hits[std::size_t(2 * share)] += result.loss / result.rows;
        losses_and_hits[std::size_t(2 * share) + 1] += double(result.right) / result.rows;
    }
    const exchange_time took = exchange_.finish(1.f / float(settings_.shares));
    const std::size_t last = networks_.size() - 1;
    const float rate =
        rate_at(of_.training, epoch * batches_ + batch, of_.training.epochs * batches_);
    for (std::size_t s = 0; s <= last; ++s) {
        for (std::size_t l = 0; s < last && l < gradients_[s].size(); ++l)
            for (std::size_t t = 0; t < gradients_[s][l].size(); ++t)
                std::copy(gradients_[last][l][t].begin(), gradients_[last][l][t].end(),
                    gradients_[s][l][t].begin());
        networks_[s]->update(rate);
    }
    return took;
}

shared_batches::progress shared_batches::run_epoch(int epoch, int steps) {
    random_source random(of_.training.seed + 1000003 * std::uint64_t(epoch + 1));
    const std::vector<int> order = shuffled_indices(of_.data.training.count(), random.bits());
    // Loss and part of right answers of each share: a place for each, so that the sum over the
    // ranks adds zeros alone, and all ranks add the shares in the same order.
    std::vector<double> by_share(std::size_t(2 * settings_.shares));
    progress found;
    const timer clock;
    steps = std::min(steps, batches_);
    for (int b = 0; b < steps; ++b) {
        const exchange_time took = step(epoch, b, order, random.bits(), by_share);
        found.exchange.waited += took.waited;
        found.exchange.hidden += took.hidden;
        found.exchange.bytes = took.bytes;
        found.exchange.last_bytes = took.last_bytes;
        found.exchange.sums = took.sums;
    }
    found.seconds = clock.seconds();
    ranks_.sum(by_share);
    for (int s = 0; s < settings_.shares; ++s) {
        found.loss += by_share[std::size_t(2 * s)] / settings_.shares / steps;
        found.accuracy += 100 * by_share[std::size_t(2 * s) + 1] / settings_.shares / steps;
    }
    average_running();
    return found;
}

void shared_batches::average_running() {
    std::vector<double> sums;
    for (const auto &each : networks_) {
        std::size_t at = 0;
        for (const layer_parameters &p : each->trained())
            for (const auto *values : {&p.mean, &p.variance})
                for (const float value : *values) {
                    if (at == sums.size()) sums.push_back(0);
                    sums[at++] += value;
                }
    }
    ranks_.sum(sums);
    parameters now = networks_[0]->trained();
    std::size_t at = 0;
    for (layer_parameters &p : now)
        for (auto *values : {&p.mean, &p.variance})
            for (float &value : *values) value = float(sums[at++] / settings_.shares);
    for (const auto &each : networks_) each->resume(now, optimizer_state(each->moments()));
}

checkpoint shared_batches::state(const std::vector<double> &losses) const {
    return {{of_.net, networks_[0]->trained(), of_.how.mean, of_.how.deviation},
        networks_[0]->moments(), settings_line(), losses};
}

void shared_batches::resume(const checkpoint &from) {
    for (const auto &each : networks_) each->resume(from.trained.learned, from.moments);
}

std::string shared_batches::settings_line() const {
    const training_settings &t = of_.training;
    return fmt::format("{} objects, batch {}, {} shares, {} epochs, seed {}, rate {}, decay {}",
        of_.data.training.count(), t.batch, settings_.shares, t.epochs, t.seed, t.rate,
        t.update.decay);
}

} // namespace distributed
