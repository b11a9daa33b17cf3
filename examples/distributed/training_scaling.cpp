// SPDX-License-Identifier: Apache-2.0
// Turns of steps on more and more ranks, and the tables of the cost model.
#include "training_scaling.hpp"

#include "../placement/placement.hpp"
#include "scaling_table.hpp"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace distributed {

using namespace int8_accuracy;

namespace {

constexpr int most_ranks = 1024;

class scaling {
  public:
    scaling(mpi_job &all, const options &o, const problem &of)
        : world_(all.world()), options_(o), of_(of), alone_of_(of) {
        for (const int size : measurable(world_.size()))
            if (o.shared.shares % size == 0) sizes_.push_back(size);
        if (sizes_.back() != world_.size())
            throw std::runtime_error(fmt::format("{} shares of a batch cannot be divided among {} "
                                                 "ranks",
                o.shared.shares, world_.size()));
        for (const int size : sizes_) {
            const group *part = all.first_ranks(size);
            parts_.push_back(part);
            runs_.push_back(
                part ? std::make_unique<shared_batches>(engine_, of, *part, o.shared) : nullptr);
        }
        // A rank's share of the work without the others: what the ranks take from each other
        // (cores' frequency, caches, memory) is in its time, and sums are not.
        alone_of_.training.batch /= world_.size();
        shared_settings alone = o.shared;
        alone.shares /= world_.size();
        runs_.push_back(std::make_unique<shared_batches>(engine_, alone_of_, alone_, alone));
    }

    int run() {
        measure();
        if (world_.size() > 1 && world_.rank() < 2)
            here_ = measure_connection(*parts_[1], exchange_.bytes);
        if (world_.rank() != 0) return 0;
        print();
        return alike() ? 0 : 1;
    }

  private:
    void measure() {
        const int steps = std::min(options_.steps, of_.data.training.count() / options_.batch);
        std::vector<int> turns = sizes_;
        turns.push_back(world_.size());
        losses_.resize(turns.size());
        // A turn is the same epoch, each round one further.
        std::vector<int> epoch(turns.size());
        const auto turn = [&](std::size_t g) {
            const shared_batches::progress got = runs_[g]->run_epoch(epoch[g]++, steps);
            losses_[g].push_back(got.loss);
            if (g + 1 == sizes_.size()) {
                exchange_ = got.exchange;
                waited_ = got.exchange.waited / steps;
                hidden_ = got.exchange.hidden / steps;
            }
            return got.seconds / steps;
        };
        take_turns(world_, turns, 1, turn); // caches and pages
        for (const auto &times : take_turns(world_, turns, options_.rounds, turn))
            seconds_.push_back(middle(times));
    }

    bool alike() const {
        double most = 0;
        for (std::size_t g = 1; g < sizes_.size(); ++g)
            for (std::size_t i = 0; i < losses_[g].size(); ++i)
                most = std::max(most, std::fabs(losses_[g][i] - losses_[0][i]) / losses_[0][i]);
        fmt::print(
            "\nlosses on all numbers of ranks: the largest difference is {:.2g} %\n", 100 * most);
        return most <= options_.tolerance;
    }

    void print() const {
        const double one = seconds_[0];
        const int shares = options_.shared.shares;
        fmt::print(
            "{} images a step in {} shares, {} thread(s) a rank; {} bytes of gradients in {} "
            "sums\n",
            options_.batch, shares, placement::thread_count(), exchange_.bytes, exchange_.sums);
        training_cost cost {
            one / shares, hidden_, double(exchange_.bytes), double(exchange_.last_bytes)};
        if (world_.size() > 1)
            fmt::print("on {} ranks a step waits {:.3f} ms for sums, and hides up to {:.3f} ms of "
                       "them; between ranks of this machine: {:.1f} us and {:.1f} GB/s\n",
                world_.size(), 1e3 * waited_, 1e3 * hidden_, 1e6 * here_.latency,
                1e-9 * here_.bandwidth);
        print_head("The same batch on more ranks", "images/s");
        for (std::size_t g = 0; g < sizes_.size(); ++g) {
            const int R = sizes_[g];
            print_row(
                R, seconds_[g], options_.batch / seconds_[g], one / seconds_[g] / R, "measured");
        }
        if (const int R = world_.size(); R > 1) {
            const double busy = seconds_.back();
            print_row(R, busy, options_.batch / busy, one / busy / R, "measured, no sums");
            training_cost here = cost;
            here.share_seconds = busy * R / shares;
            const double model = training_step(here, here_, R, double(shares) / R);
            print_row(R, model, options_.batch / model, one / model / R, "model, this machine");
        }
        for (int R = 2 * sizes_.back(); R <= shares && R <= most_ranks; R *= 2) {
            const double model = training_step(cost, options_.network(), R, double(shares) / R);
            print_row(R, model, options_.batch / model, one / model / R, "model, network");
        }
        print_head("A share for each rank, so that the batch grows", "images/s");
        const double share_images = double(options_.batch) / shares;
        for (int R = 1; R <= most_ranks; R *= R < 4 ? 2 : 4) {
            const double model = training_step(cost, options_.network(), R, 1);
            print_row(
                R, model, R * share_images / model, cost.share_seconds / model, "model, network");
        }
        fmt::print("network: {:g} us, {:g} GB/s (--latency, --bandwidth). The model knows no "
                   "disturbance of the ranks by each other or by the system.\n",
            options_.latency, options_.bandwidth);
    }

    const group &world_;
    const options &options_;
    const problem &of_;
    problem alone_of_;
    const group alone_ {MPI_COMM_SELF};
    dnnl::engine engine_ {dnnl::engine::kind::cpu, 0};
    std::vector<int> sizes_;
    std::vector<const group *> parts_;
    std::vector<std::unique_ptr<shared_batches>> runs_;
    std::vector<std::vector<double>> losses_;
    std::vector<double> seconds_; // of a step, by number of ranks; last all of them alone
    exchange_time exchange_;      // of the most ranks
    double waited_ = 0, hidden_ = 0;
    connection here_;
};

} // namespace

int measure_scaling(mpi_job &all, const options &o, const problem &of) {
    return scaling(all, o, of).run();
}

} // namespace distributed
