// SPDX-License-Identifier: Apache-2.0
// Five networks with their published shapes and random weights, in f32, bf16 and bytes. See --help
// and doc/topologies.md.
#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace topologies {
namespace {

struct command_line {
    run_options run;
    std::vector<std::string> networks, types {"f32", "bf16", "int8"};
    std::string json;
    bool no_times = false;
};

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const named_network &n : all_networks) all.push_back(n.name);
    return all;
}

void declare(CLI::App &app, command_line &c) {
    app.description("Runs networks with their published shapes and random weights: how fast they\n"
                    "are, where the time goes, and how near to f32 the other types come.");
    app.add_option("--network", c.networks, "Which; all unless given")
        ->check(CLI::IsMember(names()));
    app.add_option("--types", c.types, "f32 bf16 int8; f32 is always there")
        ->check(CLI::IsMember({"f32", "bf16", "int8"}));
    app.add_option("--batch", c.run.size.batch, "Pictures or sequences at once")
        ->capture_default_str()
        ->check(CLI::Range(1, 256));
    app.add_option("--image", c.run.size.image,
           "Side of the pictures: what classifiers read, what SRGAN writes (a multiple of 4)")
        ->check(CLI::Range(32, 4096));
    app.add_option("--rounds", c.run.rounds, "In each of them all types are measured")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
    app.add_option("--threads", c.run.threads, "At most; as many as OpenMP has unless given")
        ->check(CLI::Range(1, 4096));
    app.add_flag("--layers", c.run.layers, "Also the time of each layer");
    app.add_flag("--quick", c.run.size.quick, "Small pictures and few blocks");
    app.add_option("--json", c.json, "A file for the claims");
    app.add_flag("--no-times", c.no_times, "Only what does not depend on speed");
}

precision type_of(const std::string &name) {
    return name == "f32" ? precision::f32 : name == "bf16" ? precision::bf16 : precision::int8;
}

/// The claims of the folder techniques take their options from a command line.
techniques::claims claims_for(const command_line &c) {
    std::vector<std::string> words {"topologies"};
    if (c.no_times) words.push_back("--no-times");
    if (!c.json.empty()) words.insert(words.end(), {"--json", c.json});
    std::vector<char *> pointers;
    for (std::string &w : words) pointers.push_back(w.data());
    return {int(pointers.size()), pointers.data()};
}

/// Results are compared between one thread and two, also where one is asked for.
void provide_two_threads(run_options &o) {
#ifdef _OPENMP
    if (o.threads == 0) o.threads = omp_get_max_threads();
    omp_set_num_threads(std::max(2, o.threads));
#else
    static_cast<void>(o);
#endif
}

int run(command_line &c) {
    provide_two_threads(c.run);
    const auto wanted = [&](const named_network &n) {
        return c.networks.empty() ||
               std::find(c.networks.begin(), c.networks.end(), n.name) != c.networks.end();
    };
    for (const std::string &t : c.types) c.run.types.push_back(type_of(t));
    for (const named_network &n : all_networks)
        if (wanted(n)) n.make(c.run.size); // refuses a size before anything is measured
    techniques::claims claims = claims_for(c);
    for (const named_network &n : all_networks)
        if (wanted(n)) report(n, c.run, claims);
    return claims.finish();
}

} // namespace
} // namespace topologies

int main(int argc, char **argv) {
    CLI::App app;
    topologies::command_line c;
    topologies::declare(app, c);
    try {
        app.parse(argc, argv);
        return topologies::run(c);
    } catch (const CLI::ParseError &wrong) {
        return app.exit(wrong) == 0 ? 0 : 2;
    } catch (const std::invalid_argument &wrong) {
        fmt::print(stderr, "topologies: {}\n", wrong.what());
        return 2;
    } catch (const std::exception &failure) {
        fmt::print(stderr, "topologies: {}\n", failure.what());
        return 1;
    }
}
