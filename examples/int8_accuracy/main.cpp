// SPDX-License-Identifier: Apache-2.0
// Trains networks, quantises them, and compares formats and methods in accuracy and speed. See
// --help.
#include "../reporting/html.hpp"
#include "evaluation/judge.hpp"
#include "networks/zoo.hpp"
#include "options.hpp"
#include "report/comparison.hpp"
#include "report/figures.hpp"
#include "report/json.hpp"
#include "report/page.hpp"
#include "report/remarks.hpp"
#include "report/text.hpp"
#include "study/speed.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

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

/// Fails before the work, not after it; what is there stays.
void check_writable(const std::filesystem::path &path) {
    const bool new_file = !std::filesystem::exists(path);
    if (!std::ofstream(path, std::ios::app))
        throw std::runtime_error(fmt::format("{}: cannot write", path.string()));
    if (new_file) std::filesystem::remove(path);
}

/// The networks of a run with their data; what cannot be read is told before the first is trained.
std::vector<problem> problems_of(const options &o) {
    if (!o.all) return {problem_of(o.choice)};
    std::vector<problem> all;
    for (const zoo_entry &each : known_networks()) {
        problem_choice choice = o.choice;
        choice.network = each.name;
        if (choice.network != "characters") choice.text.clear();
        all.push_back(problem_of(choice));
    }
    return all;
}

/// What must not be, in words; empty if all is well.
std::vector<std::string> complaints(const report &r, const options &o) {
    std::vector<std::string> list;
    for (const network_report &net : r.networks) {
        const method_result *f32 = reference(net), *int8 = static_int8(net);
        if (net.kind == score_kind::accuracy && f32->found.value < o.least_accuracy)
            list.push_back(fmt::format("{}: f32 accuracy is {:.2f} %, below {} %", net.name,
                f32->found.value, o.least_accuracy));
        const double drop = int8 ? loss_of(int8->found, f32->found, net.kind) : 0;
        if (drop > o.largest_drop)
            list.push_back(fmt::format("{}: static int8 is {:.2f} {} worse than f32", net.name,
                drop, net.kind == score_kind::accuracy ? "points" : "hundredths of a bit"));
        for (const level_speed &level : net.levels)
            if (!level.failure.empty())
                list.push_back(fmt::format("{}, {}: {}", net.name, level.level, level.failure));
        if (!equal_bits(net)) list.push_back(net.name + ": results of int8 differ between caps");
    }
    return list;
}

report new_report(const options &o) {
    const dnnl::version_t *version = dnnl::version();
    report r;
    r.library = fmt::format("dnnl {}.{}.{}", version->major, version->minor, version->patch);
    r.cpu = cpu_name();
    r.threads = thread_count();
    r.seed = o.choice.seed;
    return r;
}

int run_studies(const options &o) {
    check_writable(o.json_path);
    check_writable(o.html_path);
    report r = new_report(o);
    fmt::print("{}, {}, {} thread(s)\n", r.library, r.cpu, r.threads);
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    if (o.all && !o.study.weights.empty()) std::filesystem::create_directories(o.study.weights);
    for (const problem &of : problems_of(o)) {
        fmt::print("\n{} on {}: {} to train, {} held out\n", of.net.name, of.data.origin,
            of.data.training.count(), of.data.held_out.count());
        study_settings settings = o.study;
        settings.quick = o.choice.quick;
        if (o.all && !settings.weights.empty()) settings.weights /= of.net.name + ".weights";
        if (!settings.weights.empty() && !std::filesystem::exists(settings.weights))
            check_writable(settings.weights);
        r.networks.push_back(study(engine, of, settings));
    }
    add_remarks(r);
    fmt::print("\n{}", as_text(r));
    write_report(r, o.json_path);
    write_page(r, o.html_path);
    fmt::print("written: {}, {}\n", o.json_path, o.html_path);
    const std::vector<std::string> list = complaints(r, o);
    for (const std::string &complaint : list) fmt::print(stderr, "int8_accuracy: {}\n", complaint);
    return list.empty() ? 0 : 1;
}

/// The page is written only where --html asks for it.
int run_comparison(const options &o, bool page) {
    const std::string &a = o.compare[0], &b = o.compare[1];
    const auto tables = comparison_tables(read_report(a), a, read_report(b), b);
    for (const text_table &each : tables) fmt::print("{}", as_text(each));
    if (page) reporting::write_text(comparison_page(tables, a, b), o.html_path);
    return 0;
}

} // namespace
} // namespace int8_accuracy

int main(int argc, char **argv) {
    using namespace int8_accuracy;
    CLI::App app;
    options o;
    declare(app, o);
    CLI11_PARSE(app, argc, argv);
    try {
        if (!o.measure_speed.empty())
            return measure_in_this_process(
                o.measure_speed[0], static_cast<unsigned>(std::stoul(o.measure_speed[1])));
        if (!o.compare.empty()) return run_comparison(o, app.count("--html") > 0);
        return run_studies(o);
    } catch (const std::exception &failure) {
        fmt::print(stderr, "int8_accuracy: {}\n", failure.what());
        return 1;
    }
}
