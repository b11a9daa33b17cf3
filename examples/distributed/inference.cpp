// SPDX-License-Identifier: Apache-2.0
// Tensor-parallel inference over MPI: mpirun -n 2 distributed_inference. See --help and
// doc/distributed.md.
#include "../int8_accuracy/data/checked_file.hpp"
#include "../int8_accuracy/execution/program.hpp"
#include "../int8_accuracy/execution/timer.hpp"
#include "../placement/placement.hpp"
#include "../random_source.hpp"
#include "scaling_table.hpp"
#include "transformer_block.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace distributed {
namespace {

using dnnl::memory;

struct options {
    block_shape shape;
    int blocks = 4, rounds = 7, passes = 3;
    std::uint64_t seed = 1;
    double latency = 2, bandwidth = 12.5;
    bool placement = true;
};

void declare(CLI::App &app, options &o) {
    app.description("Runs blocks of a transformer in int8 and f32, cut along their products, on 1, "
                    "2, 4, ...\nranks in turn; compares their bits and their speed.");
    const auto number = [&](const char *name, int &value, const char *meaning) {
        app.add_option(name, value, meaning)->capture_default_str()->check(CLI::Range(1, 1 << 16));
    };
    number("--blocks", o.blocks, "Blocks, one after the other");
    number("--tokens", o.shape.tokens, "Rows");
    number("--channels", o.shape.channels, "Channels of a row");
    number("--heads", o.shape.heads, "Heads of the attention");
    number("--hidden", o.shape.hidden, "Channels between the last two products");
    number("--rounds", o.rounds, "How often each number of ranks has its turn");
    number("--passes", o.passes, "Passes of a turn");
    app.add_option("--seed", o.seed, "Of weights and input")->capture_default_str();
    app.add_option("--latency", o.latency, "Of the network to predict for, us")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--bandwidth", o.bandwidth, "Of that network, GB/s")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_flag("!--no-placement", o.placement, "Let the system choose processors");
}

/// The blocks of a rank. Without `sums` what it computes has the right size and no meaning, unless
/// it is the only one.
class network_part {
  public:
    network_part(const dnnl::engine &engine, const block_shape &shape,
        const std::vector<block_weights> &weights, const std::vector<block_ranges> *ranges,
        const group &ranks, bool sums)
        : ranks_(sums ? &ranks : nullptr), stream_(engine) {
        for (std::size_t b = 0; b < weights.size(); ++b)
            blocks_.push_back(std::make_unique<block_part>(engine, shape, weights[b], ranks.rank(),
                ranks.size(), ranges ? &(*ranges)[b] : nullptr));
    }

    memory run(const memory &input) {
        memory x = input;
        repeated_ = 0;
        for (const auto &block : blocks_) {
            block->attend(stream_, x);
            sum(block->partial_sum());
            block->feed_forward(stream_);
            sum(block->partial_sum());
            x = block->finish(stream_);
            repeated_ += block->repeated_seconds();
        }
        return x;
    }

    std::vector<block_ranges> seen() const {
        std::vector<block_ranges> all;
        for (const auto &block : blocks_) all.push_back(block->seen());
        return all;
    }
    double repeated() const { return repeated_; }

  private:
    void sum(const memory &of) const {
        if (!ranks_) return;
        const memory::desc desc = of.get_desc();
        const std::size_t count = desc.get_size() / 4;
        if (desc.get_data_type() == memory::data_type::s32)
            ranks_->sum(static_cast<std::int32_t *>(of.get_data_handle()), count);
        else
            ranks_->sum(static_cast<float *>(of.get_data_handle()), count);
    }

    const group *ranks_;
    dnnl::stream stream_;
    std::vector<std::unique_ptr<block_part>> blocks_;
    double repeated_ = 0;
};

double decibel(const std::vector<float> &exact, const std::vector<float> &found) {
    double signal = 0, noise = 1e-300;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        signal += double(exact[i]) * exact[i];
        noise += (double(exact[i]) - found[i]) * (double(exact[i]) - found[i]);
    }
    return 10 * std::log10(signal / noise);
}

class comparison {
  public:
    comparison(mpi_job &all, const options &o) : world_(all.world()), options_(o) {
        for (const int size : measurable(world_.size()))
            if (o.shape.heads % size == 0 && o.shape.hidden % size == 0) sizes_.push_back(size);
        if (sizes_.back() != world_.size())
            throw std::runtime_error(
                fmt::format("{} heads and {} hidden channels cannot be divided "
                            "among {} ranks",
                    o.shape.heads, o.shape.hidden, world_.size()));
        for (int b = 0; b < o.blocks; ++b)
            weights_.push_back(random_block(o.shape, o.seed + std::uint64_t(b)));
        examples::random_source random(o.seed + 1000);
        std::vector<float> values(std::size_t(o.shape.tokens) * std::size_t(o.shape.channels));
        for (float &v : values) v = float(random.normal());
        input_ = int8_accuracy::filled_memory(engine_,
            {{o.shape.tokens, o.shape.channels}, memory::data_type::f32, memory::format_tag::ab},
            values);
        for (const int size : sizes_) parts_.push_back(all.first_ranks(size));
    }

    int run() {
        if (world_.rank() == 0)
            fmt::print("{} blocks of {} x {}, {} heads, {} hidden channels; {} thread(s) a rank\n",
                options_.blocks, options_.shape.tokens, options_.shape.channels,
                options_.shape.heads, options_.shape.hidden, placement::thread_count());
        network_part exact(engine_, options_.shape, weights_, nullptr, group(MPI_COMM_SELF), false);
        exact_ = int8_accuracy::values_of(exact.run(input_));
        ranges_ = exact.seen();
        if (world_.size() > 1 && world_.rank() < 2)
            here_ = measure_connection(*parts_[1], sum_bytes());
        const bool f32_good = compare("f32", nullptr);
        const bool int8_good = compare("int8", &ranges_);
        return f32_good && int8_good ? 0 : 1;
    }

  private:
    std::size_t sum_bytes() const {
        return std::size_t(options_.shape.tokens) * std::size_t(options_.shape.channels) * 4;
    }

    bool compare(const char *name, const std::vector<block_ranges> *ranges) {
        std::vector<std::unique_ptr<network_part>> networks;
        for (const group *part : parts_)
            networks.push_back(part ? std::make_unique<network_part>(
                                          engine_, options_.shape, weights_, ranges, *part, true)
                                    : nullptr);
        // A rank's part without sums has in its time what the ranks take from each other.
        std::vector<int> turns = sizes_;
        turns.push_back(world_.size());
        networks.push_back(std::make_unique<network_part>(
            engine_, options_.shape, weights_, ranges, world_, false));
        std::vector<std::vector<float>> results(turns.size());
        const auto turn = [&](std::size_t g) {
            const int8_accuracy::timer clock;
            for (int pass = 0; pass < options_.passes; ++pass)
                results[g] = int8_accuracy::values_of(networks[g]->run(input_));
            return clock.seconds() / options_.passes;
        };
        take_turns(world_, turns, 1, turn);
        std::vector<double> seconds;
        for (const auto &times : take_turns(world_, turns, options_.rounds, turn))
            seconds.push_back(middle(times));
        if (world_.rank() != 0) return true;
        results.pop_back();
        print(name, seconds, networks[0]->repeated());
        return judge(name, results, ranges);
    }

    void print(const char *name, const std::vector<double> &seconds, double repeated) const {
        const inference_cost cost {
            seconds[0] - repeated, repeated, 2 * options_.blocks, double(sum_bytes())};
        print_head(name, "tokens/s");
        const auto row = [&](int R, double s, const char *basis) {
            print_row(R, s, options_.shape.tokens / s, seconds[0] / s / R, basis);
        };
        for (std::size_t g = 0; g < sizes_.size(); ++g) row(sizes_[g], seconds[g], "measured");
        if (const int R = world_.size(); R > 1) {
            row(R, seconds.back(), "measured, no sums");
            row(R, seconds.back() + cost.sums * sum_seconds(here_, cost.bytes, R),
                "model, this machine");
        }
        const connection network {options_.latency * 1e-6, options_.bandwidth * 1e9};
        for (int R = 2 * sizes_.back(); R <= 1024; R *= 2)
            if (options_.shape.heads % R == 0 && options_.shape.hidden % R == 0)
                row(R, inference_pass(cost, network, R), "model, network");
    }

    /// Integers add up to the same in any order; f32 rounds.
    bool judge(const char *name, const std::vector<std::vector<float>> &results,
        const std::vector<block_ranges> *ranges) const {
        bool good = true;
        for (std::size_t g = 0; g < results.size(); ++g) {
            const double quality = decibel(exact_, results[g]);
            const bool equal = results[g] == results[0];
            const std::string distance = results[g] == exact_
                                             ? "no difference"
                                             : fmt::format("a difference {:.1f} dB below", quality);
            fmt::print("{} on {} rank(s): {} from f32 in one process; {} the bits of one rank\n",
                name, sizes_[g], distance, equal ? "has" : "has not");
            good = good && (ranges ? equal && quality > 20 : quality > 100);
        }
        return good;
    }

    const group &world_;
    const options &options_;
    dnnl::engine engine_ {dnnl::engine::kind::cpu, 0};
    std::vector<int> sizes_;
    std::vector<const group *> parts_;
    std::vector<block_weights> weights_;
    std::vector<block_ranges> ranges_;
    memory input_;
    std::vector<float> exact_;
    connection here_;
};

} // namespace
} // namespace distributed

int main(int argc, char **argv) {
    using namespace distributed;
    mpi_job all(argc, argv);
    CLI::App app;
    options o;
    declare(app, o);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &told) {
        return all.world().rank() == 0 ? app.exit(told) : told.get_exit_code();
    }
    try {
        if (o.placement) {
            const auto [rank, ranks] = all.world().on_machine();
            placement::place(rank, ranks);
        }
        return comparison(all, o).run();
    } catch (const std::exception &failure) {
        all.end_all(failure.what());
    }
}
