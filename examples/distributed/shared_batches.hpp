// SPDX-License-Identifier: Apache-2.0
// Training whose batches are cut into shares, which one rank or several compute.
#pragma once

#include "../int8_accuracy/study/problem.hpp"
#include "../int8_accuracy/training/training_network.hpp"
#include "checkpoint.hpp"
#include "gradient_exchange.hpp"

#include <memory>
#include <string>
#include <vector>

namespace distributed {

struct shared_settings {
    int shares = 2; // of each batch; a multiple of the number of ranks
    std::size_t bucket_bytes = 64 << 10;
    double patience = 60; // s; see gradient_exchange
};

/// Data-parallel training in bf16 with f32 masters. Each share of a batch has a network of its own,
/// normalizes by the statistics of its own rows, and gives the gradients of its mean loss; the step
/// follows the mean of the shares. So what is computed depends on the number of shares and not on
/// the ranks that they lie on, but for the order of sums of more than two terms. The random order
/// and moves of an epoch depend on the seed and its number alone.
class shared_batches {
  public:
    shared_batches(const dnnl::engine &engine, const int8_accuracy::problem &of, const group &ranks,
        const shared_settings &settings);

    /// What the steps of some batches took and gave; the times of this rank.
    struct progress {
        double loss = 0;        // mean of a row, all ranks
        double accuracy = 0;    // %, all ranks
        double seconds = 0;     // of all steps
        exchange_time exchange; // sums over the steps; bytes, last_bytes and sums of one step
    };

    /// The steps of an epoch, at most `steps` of them. After the last one the running means and
    /// variances are the mean of those of all shares.
    progress run_epoch(int epoch, int steps = 1 << 30);

    int steps_of_epoch() const { return batches_; }

    /// After a whole number of epochs. `losses` are those of the epochs so far.
    checkpoint state(const std::vector<double> &losses) const;
    void resume(const checkpoint &from);

    /// Everything that decides what is computed, as one line.
    std::string settings_line() const;

  private:
    using network = int8_accuracy::training_network;

    void take_gradients(std::size_t share, int layer, const std::vector<std::span<float>> &own);
    exchange_time step(int epoch, int batch, const std::vector<int> &order, std::uint64_t moves,
        std::vector<double> &losses_and_hits);
    void average_running();

    const int8_accuracy::problem &of_;
    const group &ranks_;
    shared_settings settings_;
    int share_rows_, batches_;
    std::vector<std::unique_ptr<network>> networks_; // of the shares of this rank
    /// Where the gradients of each share and layer lie.
    std::vector<std::vector<std::vector<std::span<float>>>> gradients_;
    gradient_exchange exchange_;
};

} // namespace distributed
