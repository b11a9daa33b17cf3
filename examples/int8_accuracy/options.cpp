// SPDX-License-Identifier: Apache-2.0
// Names and explanations of the options.
#include "options.hpp"

#include "networks/zoo.hpp"

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

std::string network_help() {
    std::string help = "A file with layers (doc/laboratory.md), or one of the program's networks:";
    for (const zoo_entry &each : known_networks())
        help += fmt::format("\n  {}: {}", each.name, each.meaning);
    return help;
}

void declare_data(CLI::App &app, options &o) {
    auto *idx = app.add_option("--idx", o.choice.idx,
        "Folder with MNIST-style IDX files, gzip'ed or not (default: data drawn from a seed)");
    auto *images = app.add_option("--images", o.choice.images,
        "Folder with a folder of PNG, PPM or PGM images for each class");
    auto *text =
        app.add_option("--text", o.choice.text, "Text whose next characters are to be guessed");
    idx->excludes(images)->excludes(text);
    images->excludes(text);
    auto *network = app.add_option("--network", o.choice.network, network_help());
    app.add_flag("--all", o.all, "All networks of the program, one after the other")
        ->excludes(idx)
        ->excludes(images)
        ->excludes(network);
    app.add_option("--weights", o.study.weights,
        "Read trained weights from this file, or write them to it if it is not there; with --all, "
        "a folder");
}

void declare_work(CLI::App &app, options &o) {
    app.add_option("--epochs", o.choice.epochs,
           "Passes over the training data (default: what the network needs)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--seed", o.choice.seed, "Of weights, order, moves and drawn data")
        ->capture_default_str();
    app.add_option(
           "--calibrate", o.study.calibration_count, "How many training objects calibration sees")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    app.add_option("--allow", o.study.allowed,
           "Losses for which the fastest mixed assignment is searched: points, or hundredths of a "
           "bit per character")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    app.add_flag("--quick", o.choice.quick, "A smoke test: few objects and epochs, rough speeds");
    app.add_flag("!--no-speed", o.study.speed, "Leave out the speed figures");
    app.add_flag("!--no-bf16-training", o.study.bf16_training, "Train in f32 alone");
    app.add_flag("!--no-tuning", o.study.fine_tuning, "Leave out fine-tuning in fixed point");
}

} // namespace

void declare(CLI::App &app, options &o) {
    app.description("Trains networks with the library's own primitives, stores their numbers in\n"
                    "every format and by every method, and tells what each costs and wins.");
    declare_data(app, o);
    declare_work(app, o);
    app.add_option("--json", o.json_path, "Where to write the results as JSON")
        ->capture_default_str();
    app.add_option("--html", o.html_path, "Where to write the page with plots")
        ->capture_default_str();
    app.add_option("--compare", o.compare, "Show the JSON files of two runs side by side")
        ->expected(2)
        ->check(CLI::ExistingFile);
    app.add_option(
        "--least-accuracy", o.least_accuracy, "Exit status 1 if f32 is below this accuracy in %");
    app.add_option("--largest-drop", o.largest_drop,
        "Exit status 1 if static int8 is so many points, or hundredths of a bit, worse than f32");
    app.add_option("--measure-speed", o.measure_speed)->expected(2)->group(""); // hidden
}

} // namespace int8_accuracy
