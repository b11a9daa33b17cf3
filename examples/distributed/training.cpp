// SPDX-License-Identifier: Apache-2.0
// Data-parallel training over MPI: mpirun -n 2 distributed_training. See --help and
// doc/distributed.md.
#include "../int8_accuracy/data/checked_file.hpp"
#include "../int8_accuracy/evaluation/judge.hpp"
#include "../placement/placement.hpp"
#include "training_options.hpp"
#include "training_scaling.hpp"

#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace distributed {
namespace {

using namespace int8_accuracy;
using nlohmann::ordered_json;

/// All numbers of the network as one: equal bits give equal hashes.
std::uint64_t hash_of(const parameters &of) {
    checked_writer all("");
    for (const layer_parameters &p : of)
        for (const auto *values : {&p.weights, &p.recurrent, &p.bias, &p.mean, &p.variance})
            all.add(*values);
    const std::string bytes = all.bytes();
    return int8_accuracy::hash_of(bytes.data(), bytes.size());
}

double held_out_accuracy(
    const dnnl::engine &engine, const problem &of, const trained_network &trained) {
    const trained_network flat = folded(trained);
    const judge by(engine, flat, of.how, of.data.held_out, {}, of.kind);
    return by.exact_score().value;
}

/// Compares with the curve of another run; the largest difference, as a part of the loss.
double largest_difference(const std::vector<double> &losses, const std::string &file) {
    const ordered_json other = ordered_json::parse(file_bytes(file), nullptr, false);
    if (other.is_discarded() || !other.contains("losses"))
        throw std::runtime_error(file + ": not the results of a run");
    const auto curve = other["losses"].get<std::vector<double>>();
    if (curve.size() != losses.size())
        throw std::runtime_error(
            fmt::format("{}: a curve of {} epochs, not {}", file, curve.size(), losses.size()));
    double most = 0;
    for (std::size_t e = 0; e < losses.size(); ++e)
        most = std::max(most, std::fabs(losses[e] - curve[e]) / curve[e]);
    return most;
}

class training_run {
  public:
    training_run(const mpi_job &all, const options &o, const problem &of)
        : all_(all), ranks_(all.world()), options_(o), of_(of),
          batches_(engine_, of, ranks_, o.shared) {
        all.set_farewell("ended from outside, as it happens when a rank is lost; nothing is kept "
                         "without --checkpoint, or before its first epoch");
    }

    int run() {
        if (!options_.resume.empty()) resume();
        for (int epoch = int(losses_.size()); epoch < of_.training.epochs; ++epoch) {
            if (ranks_.rank() == options_.lose_rank && epoch == options_.lose_epoch)
                std::raise(SIGKILL);
            run_epoch(epoch);
        }
        return ranks_.rank() == 0 ? report() : 0;
    }

  private:
    bool leads() const { return ranks_.rank() == 0; }
    /// At once, also where mpirun stands between.
    static void say(const std::string &line) {
        fmt::print("{}\n", line);
        std::fflush(stdout);
    }

    /// Rank 0 reads the file, so that it need not be on every machine.
    void resume() {
        std::string bytes;
        if (leads()) bytes = file_bytes(options_.resume);
        ranks_.broadcast(bytes);
        const checkpoint from = parse_checkpoint(
            std::move(bytes), options_.resume.string(), of_.net, batches_.settings_line());
        batches_.resume(from);
        losses_ = from.losses;
        if (leads())
            say(fmt::format(
                "goes on after epoch {} of {}", losses_.size(), options_.resume.string()));
    }

    void run_epoch(int epoch) {
        const shared_batches::progress got = batches_.run_epoch(epoch);
        if (!std::isfinite(got.loss))
            throw std::runtime_error(fmt::format(
                "the loss of epoch {} is not a number: the rate is too large", epoch + 1));
        losses_.push_back(got.loss);
        save(epoch);
        if (!leads()) return;
        say(fmt::format("epoch {:2}/{}   loss {:.4f}, accuracy {:.2f} %   {:.2f} s, of them "
                        "{:.3f} waiting for gradients",
            epoch + 1, of_.training.epochs, got.loss, got.accuracy, got.seconds,
            got.exchange.waited));
    }

    void save(int epoch) {
        if (options_.checkpoint.empty()) return;
        if (leads()) write_checkpoint(batches_.state(losses_), options_.checkpoint);
        all_.set_farewell(
            fmt::format("ended from outside after epoch {}, as it happens when a rank "
                        "is lost; go on with --resume {}",
                epoch + 1, options_.checkpoint.string()));
    }

    int report() {
        const trained_network trained = batches_.state(losses_).trained;
        const double accuracy = held_out_accuracy(engine_, of_, trained);
        const std::string hash = fmt::format("{:016x}", hash_of(trained.learned));
        fmt::print("held-out accuracy {:.2f} %; parameters {}\n", accuracy, hash);
        if (!options_.json.empty()) {
            const ordered_json results {{"ranks", ranks_.size()},
                {"settings", batches_.settings_line()}, {"losses", losses_},
                {"held_out_accuracy", accuracy}, {"parameters", hash}};
            std::ofstream file(options_.json);
            if (!(file << results.dump(2) << '\n'))
                throw std::runtime_error(options_.json.string() + ": cannot write");
        }
        bool good = accuracy >= options_.least_accuracy;
        if (!good) fmt::print(stderr, "below {} %\n", options_.least_accuracy);
        if (!options_.compare.empty()) {
            const double most = largest_difference(losses_, options_.compare);
            fmt::print("the curve differs by at most {:.2g} % from that of {}\n", 100 * most,
                options_.compare);
            good = good && most <= options_.tolerance;
        }
        return good ? 0 : 1;
    }

    const mpi_job &all_;
    const group &ranks_;
    const options &options_;
    const problem &of_;
    dnnl::engine engine_ {dnnl::engine::kind::cpu, 0};
    shared_batches batches_;
    std::vector<double> losses_;
};

void tell_places(const group &world, const std::string &place) {
    for (int r = 0; r < world.size(); ++r) {
        std::string text = place;
        // Rank 0 prints for all, in order.
        if (r > 0 && world.rank() == r)
            MPI_Send(text.data(), int(text.size()), MPI_CHAR, 0, 0, world.handle());
        if (world.rank() != 0) continue;
        if (r > 0) {
            MPI_Status status;
            int length = 0;
            MPI_Probe(r, 0, world.handle(), &status);
            MPI_Get_count(&status, MPI_CHAR, &length);
            text.resize(std::size_t(length));
            MPI_Recv(text.data(), length, MPI_CHAR, r, 0, world.handle(), &status);
        }
        fmt::print("rank {}: {}\n", r, text);
    }
}

std::string placed(const group &world) {
    const auto [rank, ranks] = world.on_machine();
    return placement::place(rank, ranks);
}

int run(mpi_job &all, const options &o) {
    tell_places(all.world(), o.placement ? placed(all.world()) : "not placed");
    const problem of = problem_of(o);
    if (o.scaling) return measure_scaling(all, o, of);
    return training_run(all, o, of).run();
}

} // namespace
} // namespace distributed

int main(int argc, char **argv) {
    distributed::mpi_job all(argc, argv);
    CLI::App app;
    distributed::options o;
    distributed::declare(app, o);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &told) {
        return all.world().rank() == 0 ? app.exit(told) : told.get_exit_code();
    }
    try {
        return distributed::run(all, o);
    } catch (const std::exception &failure) {
        all.end_all(failure.what());
    }
}
