// SPDX-License-Identifier: Apache-2.0
// Trains a small convolutional network on digits, quantises it, and compares int8 with f32 in
// accuracy and speed. See --help.
#include "digits.hpp"
#include "idx.hpp"
#include "report.hpp"
#include "timer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace int8_accuracy {
namespace {

struct options {
    std::string idx_folder;
    std::string json_path = "int8_accuracy.json", html_path = "int8_accuracy.html";
    training_settings training;
    bool quick = false, no_speed = false;
    double least_accuracy = 0, largest_drop = 100; // %, points
    std::vector<std::string> measure_speed; // of a started process: problem file, mask of features
};

void declare(CLI::App &app, options &o) {
    app.description(
        "Trains a small convolutional network on digits with the library's own\n"
        "primitives, quantises it, and compares f32, bf16 and int8 on held-out digits.");
    app.add_option("--idx", o.idx_folder,
        "Folder with MNIST-style IDX files, gzip'ed or not (default: digits drawn from a seed)");
    app.add_option("--json", o.json_path, "Where to write the results as JSON")
        ->capture_default_str();
    app.add_option("--html", o.html_path, "Where to write the page with plots")
        ->capture_default_str();
    app.add_option("--epochs", o.training.epochs, "Passes over the training images")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
    app.add_option("--seed", o.training.seed, "Of weights, order, shifts and drawn digits")
        ->capture_default_str();
    app.add_flag("--quick", o.quick, "A smoke test: few images, three epochs, rough speed figures");
    app.add_flag("--no-speed", o.no_speed, "Leave out the speed figures");
    app.add_option(
        "--least-accuracy", o.least_accuracy, "Exit status 1 if f32 is below this accuracy in %");
    app.add_option("--largest-drop", o.largest_drop,
        "Exit status 1 if int8 per channel is so many points below f32");
    app.add_option("--measure-speed", o.measure_speed)->expected(2)->group(""); // hidden
}

std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown CPU";
}

int thread_count() {
    const char *asked = std::getenv("OMP_NUM_THREADS");
    const int count = asked ? std::atoi(asked) : 0;
    return count > 0 ? count : static_cast<int>(std::thread::hardware_concurrency());
}

data_split load_data(const options &o) {
    if (!o.idx_folder.empty()) {
        data_split data = read_idx_folder(o.idx_folder, o.training.seed);
        if (!o.quick) return data;
        const std::vector<int> order = shuffled_indices(data.training.count(), o.training.seed);
        data.training = select(data.training, order, 0, std::min(1024, data.training.count()));
        return data;
    }
    const int training = o.quick ? 2560 : 8000, held_out = o.quick ? 640 : 2000;
    return split(draw_digits(training + held_out, o.training.seed), training, o.training.seed,
        fmt::format("drawn digits, seed {}", o.training.seed));
}

void describe(report &r, const options &o, const data_split &data) {
    const dnnl::version_t *version = dnnl::version();
    r.library = fmt::format("dnnl {}.{}.{}", version->major, version->minor, version->patch);
    r.cpu = cpu_name();
    r.threads = thread_count();
    r.origin = data.origin;
    r.settings = o.training;
    r.training_images = data.training.count();
    r.held_out_images = data.held_out.count();
    r.held_out = data.held_out;
    fmt::print("{}, {}, {} thread(s)\n{}: {} to train, {} held out\n", r.library, r.cpu, r.threads,
        r.origin, r.training_images, r.held_out_images);
}

/// Fails before the work, not after it.
void check_writable(const std::string &path) {
    if (!std::ofstream(path, std::ios::app))
        throw std::runtime_error(fmt::format("{}: cannot write", path));
}

/// Calibration sees training images only.
void judge(report &r, const dnnl::engine &engine, const data_split &data) {
    const timer clock;
    const std::vector<int> order = shuffled_indices(data.training.count(), r.settings.seed + 2);
    const dataset sample = select(data.training, order, 0, std::min(512, data.training.count()));
    r.calibration_images = sample.count();
    r.measured = calibrate(engine, r.training.trained, sample);
    const auto run = [&](const std::vector<variant> &variants) {
        return evaluate(engine, r.training.trained, variants, r.measured, data.held_out, r.refused);
    };
    r.variants = run(main_variants());
    r.int8_variants = run(static_int8_variants());
    r.evaluation_seconds = clock.seconds();
}

void measure_speed(report &r, const options &o) {
    const timer clock;
    speed_problem problem {r.training.trained, r.measured, {}, o.quick ? 0.02 : 0.4};
    problem.images = normalized_batch(r.held_out, r.training.trained.norm, 0, speed_batches.back());
    r.levels = measure_levels(problem);
    r.speed_seconds = clock.seconds();
}

/// What must not be, in words; empty if all is well.
std::vector<std::string> complaints(const report &r, const options &o) {
    std::vector<std::string> list;
    double f32 = 0, int8 = 0;
    for (const variant_result &v : r.variants) {
        if (v.how.name == "f32") f32 = 100 * v.accuracy;
        if (v.how.name == "int8 per channel") int8 = 100 * v.accuracy;
    }
    if (f32 < o.least_accuracy)
        list.push_back(fmt::format("f32 accuracy is {:.2f} %, below {} %", f32, o.least_accuracy));
    if (f32 - int8 > o.largest_drop)
        list.push_back(fmt::format("int8 per channel is {:.2f} points below f32", f32 - int8));
    for (const level_speed &level : r.levels)
        if (!level.failure.empty()) list.push_back(level.level + ": " + level.failure);
    if (!int8_bits_equal(r)) list.push_back("int8 logits differ between caps");
    return list;
}

int run(const options &o) {
    if (!o.measure_speed.empty())
        return measure_in_this_process(
            o.measure_speed[0], static_cast<unsigned>(std::stoul(o.measure_speed[1])));
    report r;
    const data_split data = load_data(o);
    check_writable(o.json_path);
    check_writable(o.html_path);
    describe(r, o, data);
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    r.training = train(engine, data.training, o.training);
    judge(r, engine, data);
    if (!o.no_speed) measure_speed(r, o);
    print_tables(r);
    write_json(r, o.json_path);
    write_html(r, o.html_path);
    fmt::print("written: {}, {}\n", o.json_path, o.html_path);
    const std::vector<std::string> list = complaints(r, o);
    for (const std::string &complaint : list) fmt::print(stderr, "int8_accuracy: {}\n", complaint);
    return list.empty() ? 0 : 1;
}

} // namespace
} // namespace int8_accuracy

int main(int argc, char **argv) {
    using namespace int8_accuracy;
    CLI::App app;
    options o;
    declare(app, o);
    CLI11_PARSE(app, argc, argv);
    if (o.quick && app.count("--epochs") == 0) o.training.epochs = 3;
    try {
        return run(o);
    } catch (const std::exception &failure) {
        fmt::print(stderr, "int8_accuracy: {}\n", failure.what());
        return 1;
    }
}
