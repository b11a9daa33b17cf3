// SPDX-License-Identifier: Apache-2.0
// dnnl-onnx: runs models of ONNX on this library.
#include "commands.hpp"

#include "../model/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

int main(int argc, char **argv) {
    using namespace dnnl_onnx;
    CLI::App app {"Runs models of ONNX on the dnnl library", "dnnl-onnx"};
    app.require_subcommand(1);
    command_options options;
    const auto add_common = [&](CLI::App *command) {
        command->add_option("model", options.model, "the .onnx file")->required();
        command->add_flag("--json", options.json, "writes JSON instead of text");
        command->add_option("--input,-i", options.inputs,
            "NAME=FILE.npy, NAME=FILE.png, NAME=random[:2x3x48x320][:SEED] or NAME=NUMBER; may be "
            "repeated");
        command->add_option("--mean", options.scaling.mean, "of pictures, one or one per colour")
            ->delimiter(',');
        command
            ->add_option(
                "--deviation", options.scaling.deviation, "pixels: (v / 255 - mean) / this")
            ->delimiter(',');
        command->add_flag("--no-fuse", options.no_fuse, "runs node by node");
        command->add_option("--calibration", options.calibration,
            "folder of .npy or .png files for the first input, for int8; without it the inputs");
        command
            ->add_option("--rule", options.rule,
                "ranges of int8: min-max, percentile, least-squares, divergence")
            ->capture_default_str();
        command->add_option("--keep", options.keep, "nodes that stay in f32, by a part of a name");
        command
            ->add_option("--allow", options.allow,
                "int8 may change as many percent of the decisions; products stay in f32 until it "
                "does")
            ->check(CLI::Range(0., 100.));
    };
    const auto add_type = [&](CLI::App *command) {
        command->add_option("--type", options.type, "f32, bf16, f16 or int8")
            ->capture_default_str();
    };
    CLI::App *run = app.add_subcommand("run", "runs the model once");
    add_common(run);
    add_type(run);
    run->add_option("--out,-o", options.out, "folder for the outputs, as NAME.npy");
    run->add_flag("--explain", options.explain, "prints the graph as it runs");
    CLI::App *bench = app.add_subcommand("bench", "measures the time of a run");
    add_common(bench);
    add_type(bench);
    bench->add_option("--seconds", options.seconds, "how long to measure")->capture_default_str();
    bench->add_option("--threads", options.threads, "numbers of threads, such as 1,2")
        ->delimiter(',')
        ->check(CLI::Range(1, 1024));
    bench->add_option("--batch", options.batches, "items of the inputs, such as 1,8")
        ->delimiter(',')
        ->check(CLI::Range(1, 65536));
    bench->add_flag("--layers", options.layers, "the time of each step, too");
    CLI::App *compare = app.add_subcommand("compare", "f32 beside other types, result by result");
    add_common(compare);
    compare->add_option("--types", options.types, "of bf16, f16, int8")->delimiter(',');
    compare->add_flag("--layers", options.layers, "every result, not the outputs alone");
    compare->add_option("--html", options.html, "file for the differences as a page");
    compare->add_option("--decibels", options.decibels, "names the first result below")
        ->capture_default_str();
    CLI::App *check = app.add_subcommand("check", "names what the model needs and is not there");
    check->add_option("model", options.model, "the .onnx file")->required();
    check->add_flag("--json", options.json, "writes JSON instead of text");
    CLI11_PARSE(app, argc, argv);
    try {
        if (*run) return run_command(options);
        if (*bench) return bench_command(options);
        if (*compare) return compare_command(options);
        return check_command(options);
    } catch (const std::exception &e) {
        fmt::print(stderr, "dnnl-onnx: {}\n", e.what());
        return 1;
    }
}
