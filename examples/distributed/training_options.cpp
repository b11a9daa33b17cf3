// SPDX-License-Identifier: Apache-2.0
// Names and explanations of the options, and the problem that they describe.
#include "training_options.hpp"

#include "../int8_accuracy/data/colour_images.hpp"
#include "../int8_accuracy/networks/zoo.hpp"

#include <fmt/format.h>

namespace distributed {
namespace {

void declare_work(CLI::App &app, options &o) {
    app.add_option("--shares", o.shared.shares,
           "Shares of a batch, each normalized by itself; a multiple of the ranks")
        ->capture_default_str()
        ->check(CLI::Range(1, 4096));
    app.add_option("--batch", o.batch, "Images of a step, all ranks together")
        ->capture_default_str()
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("--epochs", o.epochs, "Passes over the images")
        ->capture_default_str()
        ->check(CLI::Range(1, 10000));
    app.add_option("--images", o.images, "Images to train with; a sixth more are held out")
        ->capture_default_str()
        ->check(CLI::Range(64, 1 << 20));
    app.add_option("--seed", o.seed, "Of images, weights, order and moves")->capture_default_str();
    app.add_option("--rate", o.rate, "The largest learning rate")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--bucket", o.shared.bucket_bytes, "Bytes of gradients that are summed at once")
        ->capture_default_str();
    app.add_option("--patience", o.shared.patience,
           "Seconds without an answer after which a rank is taken for lost; 0: never")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    app.add_flag("!--no-placement", o.placement,
        "Let the system choose processors; otherwise each rank gets a NUMA domain or its share of "
        "one");
}

void declare_files(CLI::App &app, options &o) {
    app.add_option("--checkpoint", o.checkpoint, "Write the state to this file after each epoch");
    app.add_option("--resume", o.resume, "Go on from the state in this file");
    app.add_option("--json", o.json, "Write the curve to this file");
    app.add_option(
        "--compare", o.compare, "Exit status 1 if the curve is not that of the run in this file");
    app.add_option("--tolerance", o.tolerance, "Of --compare: the largest part of a loss")
        ->capture_default_str();
    app.add_option("--least-accuracy", o.least_accuracy,
        "Exit status 1 if fewer % of held-out images are right");
}

} // namespace

void declare(CLI::App &app, options &o) {
    app.description("Trains the residual network of the laboratory on several ranks of MPI: bf16\n"
                    "with f32 masters, the sum of gradients behind the backward pass.");
    declare_work(app, o);
    declare_files(app, o);
    app.add_flag("--scaling", o.scaling,
        "Instead of training, time steps on 1, 2, 4, ... ranks in turn and predict more of them");
    app.add_option(
           "--rounds", o.rounds, "Of --scaling: how often each number of ranks has its turn")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
    app.add_option("--steps", o.steps, "Of --scaling: steps of a turn")
        ->capture_default_str()
        ->check(CLI::Range(2, 100000));
    app.add_option("--latency", o.latency, "Of --scaling: of the network to predict for, us")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--bandwidth", o.bandwidth, "Of --scaling: of that network, GB/s")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option_function<std::vector<int>>(
           "--lose",
           [&o](const std::vector<int> &given) {
               o.lose_rank = given[0];
               o.lose_epoch = given[1] - 1;
           },
           "A rank and an epoch: kill that rank there, to see what happens")
        ->expected(2);
}

int8_accuracy::problem problem_of(const options &o) {
    using namespace int8_accuracy;
    const int held_out = o.images / 6;
    problem found;
    found.data = split(draw_colour_images(o.images + held_out, o.seed), o.images, o.seed,
        fmt::format("drawn colour images, seed {}", o.seed));
    found.net = known_network("residual", found.data.training.of, found.data.training.classes);
    found.how = measure_encoding(found.data.training);
    training_settings &t = found.training;
    t.epochs = o.epochs;
    t.batch = o.batch;
    t.rate = o.rate;
    t.update.decay = 5e-4f;
    t.moves.largest_shift = 3;
    t.moves.mirror = true;
    t.seed = o.seed + 1;
    return found;
}

} // namespace distributed
