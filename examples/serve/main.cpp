// SPDX-License-Identifier: Apache-2.0
// A network in use: as many images a second as the machine can, and as many where 99 of 100 must be
// answered in time. See --help and doc/serving.md.
#include "../int8_accuracy/data/checked_file.hpp"
#include "../placement/placement.hpp"
#include "load.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace serve {
namespace {

struct options {
    double seconds = 1.5, limit = 20; // of a measurement; ms for p99
    bool quick = false, domains = false, f32 = false;
    int most_batch = 16;
};

void declare(CLI::App &app, options &o) {
    app.description(
        "Runs the residual network of the laboratory, with random weights, for images that come\n"
        "all the time and for images that come at random times.");
    app.add_option("--seconds", o.seconds, "Of each measurement")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option(
           "--limit", o.limit, "Milliseconds within which 99 of 100 images must be answered")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--batch", o.most_batch, "The largest batch that is tried")
        ->capture_default_str()
        ->check(CLI::Range(1, 64));
    app.add_flag("--f32", o.f32, "Numbers of 32 bits instead of bytes");
    app.add_flag(
        "--domains", o.domains, "A process for each NUMA domain instead, bound to it by hwloc");
    app.add_flag("--quick", o.quick, "A smoke test: short measurements, and no limit is judged");
}

/// All ways to divide the cores evenly, with batches 1, 4, 16.
std::vector<division> divisions(int cores, int most_batch) {
    std::vector<division> all;
    for (int threads = 1; threads <= cores; ++threads) {
        if (cores % threads != 0) continue;
        for (int batch = 1; batch <= most_batch; batch *= 4)
            all.push_back({cores / threads, threads, batch});
    }
    return all;
}

/// Every division gives every image the same class.
bool agree(const served_network &net, const std::vector<division> &all) {
    const std::vector<int> first = answers(net, all[0]);
    return std::all_of(
        all.begin(), all.end(), [&](const division &d) { return answers(net, d) == first; });
}

struct found_load {
    division by;
    double rate = 0; // images a second
};

/// The largest part of the division's throughput under which p99 is within the limit.
double largest_load(const served_network &net, const division &by, double most, const options &o) {
    for (const double part : {.9, .8, .7, .6, .5, .4, .3, .2, .1})
        if (under_load(net, by, part * most, o.seconds, 1).p99 <= o.limit) return part * most;
    return 0;
}

/// Throughput and the load that the limit allows, for each division; then the best of them over its
/// loads, and once more.
bool measure(const served_network &net, const std::vector<division> &all, const options &o) {
    fmt::print("{:<30} {:>12} {:>22}\n", "instances x threads, batch", "images/s",
        fmt::format("with p99 <= {:g} ms", o.limit));
    found_load best;
    for (const division &by : all) {
        const double most = throughput(net, by, o.seconds), load = largest_load(net, by, most, o);
        fmt::print("{:<30} {:12.0f} {:>22}\n", by.words(), most,
            load > 0 ? fmt::format("{:.0f}", load) : "none");
        if (load > best.rate) best = {by, load};
    }
    if (o.quick) return true;
    if (best.rate == 0) {
        fmt::print(stderr, "no division answers within {:g} ms\n", o.limit);
        return false;
    }
    fmt::print("\n{}: ms until an answer\n{:>10} {:>10} {:>8} {:>8} {:>8}\n", best.by.words(),
        "asked/s", "answered/s", "p50", "p95", "p99");
    for (const double part : {.25, .5, .75, 1., 1.1}) {
        const latencies t = under_load(net, best.by, part * best.rate, o.seconds, 2);
        fmt::print("{:10.0f} {:10.0f} {:8.2f} {:8.2f} {:8.2f}\n", part * best.rate, t.answered,
            t.p50, t.p95, t.p99);
    }
    // Other arrivals: the limit must hold again, with a tenth of the load kept back.
    const latencies again = under_load(net, best.by, .9 * best.rate, 2 * o.seconds, 3);
    fmt::print("\nagain at {:.0f} images/s: p99 {:.2f} ms, limit {:g}\n", .9 * best.rate, again.p99,
        o.limit);
    return again.p99 <= o.limit;
}

struct domain_result {
    double rate = 0;           // images a second
    std::uint64_t answers = 0; // hash of the classes
};

/// One process for each NUMA domain, before this one has threads of its own; each writes its images
/// a second and its answers to a pipe.
bool measure_domains(const options &o) {
    const int domains = placement::domain_count();
    std::vector<int> pipes;
    for (int d = 0; d < domains; ++d) {
        int ends[2];
        if (pipe(ends) != 0) throw std::runtime_error("no pipe");
        if (fork() == 0) {
            const std::string where = placement::place(d, domains);
            const served_network net(!o.f32, 1);
            const division by {1, placement::thread_count(), o.most_batch};
            const std::vector<int> classes = answers(net, by);
            const domain_result told {throughput(net, by, o.seconds),
                int8_accuracy::hash_of(classes.data(), classes.size() * sizeof(int))};
            fmt::print("{}: {:.0f} images/s, {}\n", where, told.rate, by.words());
            std::fflush(stdout);
            _exit(write(ends[1], &told, sizeof(told)) == long(sizeof(told)) ? 0 : 1);
        }
        close(ends[1]);
        pipes.push_back(ends[0]);
    }
    double sum = 0;
    std::uint64_t first = 0;
    bool good = true;
    for (int d = 0; d < domains; ++d) {
        domain_result told;
        good = read(pipes[std::size_t(d)], &told, sizeof(told)) == long(sizeof(told)) && good;
        sum += told.rate;
        if (d == 0) first = told.answers;
        good = good && told.answers == first;
    }
    while (wait(nullptr) > 0) continue;
    fmt::print(
        "{} domain(s): {:.0f} images/s, answers {}\n", domains, sum, good ? "equal" : "differ");
    return good;
}

int run(options o) {
    if (o.quick) o.seconds = .1, o.most_batch = 4;
    if (o.domains || o.quick) {
        const bool good = measure_domains(o);
        if (o.domains || !good) return good ? 0 : 1;
    }
    const int cores = std::max(1, int(std::thread::hardware_concurrency()));
    const served_network net(!o.f32, 1);
    const std::vector<division> all = divisions(cores, o.most_batch);
    if (!agree(net, all)) throw std::runtime_error("divisions give other answers than each other");
    fmt::print(
        "{} cores, {}; all divisions give equal answers\n\n", cores, o.f32 ? "f32" : "bytes");
    const bool good = measure(net, all, o);
    return good ? 0 : 1;
}

} // namespace
} // namespace serve

int main(int argc, char **argv) {
    CLI::App app;
    serve::options o;
    serve::declare(app, o);
    CLI11_PARSE(app, argc, argv);
    try {
        return serve::run(o);
    } catch (const std::exception &failure) {
        fmt::print(stderr, "serve: {}\n", failure.what());
        return 1;
    }
}
