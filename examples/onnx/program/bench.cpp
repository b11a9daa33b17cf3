// SPDX-License-Identifier: Apache-2.0
// The command bench: the time of runs, by threads and batch.
#include "commands.hpp"

#include "../model/error.hpp"
#include "opened_model.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstring>

namespace dnnl_onnx {

namespace {

using clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

double milliseconds_since(clock::time_point start) {
    return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

struct step_time {
    const step *what;
    double milliseconds = 0;
};

struct measured {
    double first_run = 0;
    std::vector<double> times; // ms, sorted
    std::vector<step_time> layers;

    double median() const { return times[times.size() / 2]; }
};

measured measure(network &net, const named_tensors &given, const command_options &options) {
    measured found;
    const clock::time_point first = clock::now();
    net.run(given);
    found.first_run = milliseconds_since(first);
    net.run(given);
    reporting::progress_bar bar("measuring", 1000);
    const clock::time_point start = clock::now();
    for (double passed = 0; passed < options.seconds * 1000 || found.times.size() < 3;) {
        const clock::time_point begin = clock::now();
        net.run(given);
        found.times.push_back(milliseconds_since(begin));
        passed = milliseconds_since(start);
        bar.show(int(std::min(passed / options.seconds, 1000.)), "");
    }
    std::sort(found.times.begin(), found.times.end());
    if (!options.layers) return found;
    std::map<std::pair<const steps *, std::size_t>, std::size_t> index;
    const int runs = int(std::min<std::size_t>(found.times.size(), 20));
    for (int run = 0; run < runs; ++run) {
        clock::time_point last = clock::now();
        net.run(given, [&](const steps &program, std::size_t at) {
            const auto [where, is_new] = index.try_emplace({&program, at}, found.layers.size());
            if (is_new) found.layers.push_back({&program.list()[at]});
            found.layers[where->second].milliseconds += milliseconds_since(last) / runs;
            last = clock::now();
        });
    }
    return found;
}

ordered_json json_of(const measured &m) {
    ordered_json json {{"first_ms", m.first_run}, {"best_ms", m.times[0]},
        {"median_ms", m.median()}, {"runs", m.times.size()},
        {"runs_per_second", 1000 / m.median()}};
    for (const step_time &layer : m.layers)
        json["layers"].push_back({{"nodes", layer.what->text}, {"primitive", layer.what->kind},
            {"implementation", layer.what->implementation}, {"ms", layer.milliseconds}});
    return json;
}

void print(measured m) {
    std::stable_sort(m.layers.begin(), m.layers.end(),
        [](const step_time &a, const step_time &b) { return a.milliseconds > b.milliseconds; });
    for (const step_time &layer : m.layers)
        fmt::print("{:9.4f} ms  {}:{} {} | {}\n", layer.milliseconds, layer.what->kind,
            layer.what->implementation, layouts(*layer.what, false), layer.what->text);
    fmt::print(
        "first run {:.3f} ms, then best {:.3f} ms, median {:.3f} ms of {} runs: {:.1f} a second\n",
        m.first_run, m.times[0], m.median(), m.times.size(), 1000 / m.median());
}

/// The library asks OpenMP for the number of threads when it makes primitives. In a library of
/// another runtime this would change nothing.
void use_threads(int threads) {
#if defined(_OPENMP) && DNNL_CPU_RUNTIME == DNNL_RUNTIME_OMP
    omp_set_num_threads(threads);
#else
    if (threads != 1 || DNNL_CPU_RUNTIME != DNNL_RUNTIME_SEQ)
        throw error("--threads needs a build with OpenMP");
#endif
}

/// The inputs with `batch` items each, copies of those that are there in turn. Inputs whose first
/// extent the model fixes stay.
named_tensors batched(const network &net, named_tensors given, std::int64_t batch) {
    bool changed = false;
    for (const value_info &info : net.inputs()) {
        const extents &declared = info.type.dims;
        tensor &old = given.at(info.name);
        if (declared.empty() || declared[0] >= 0 || old.dims().empty() || old.dims()[0] == 0)
            continue;
        extents dims = old.dims();
        dims[0] = batch;
        tensor filled(old.type().type, dims);
        const std::size_t item = old.type().bytes() / std::size_t(old.dims()[0]);
        for (std::int64_t i = 0; i < batch; ++i)
            std::memcpy(filled.bytes() + std::size_t(i) * item,
                old.bytes() + std::size_t(i % old.dims()[0]) * item, item);
        old = filled;
        changed = true;
    }
    if (!changed)
        throw error("the model fixes the first extent of its inputs: --batch changes nothing");
    return given;
}

} // namespace

int bench_command(const command_options &options) {
    const bool several = options.threads.size() > 1 || options.batches.size() > 1;
    ordered_json all = ordered_json::array();
    const std::vector<int> threads =
        options.threads.empty() ? std::vector<int> {0} : options.threads;
    const std::vector<int> batches =
        options.batches.empty() ? std::vector<int> {0} : options.batches;
    const opened_model model(options);
    for (int thread_count : threads) {
        if (thread_count) use_threads(thread_count);
        network net(model.net->source(), model.options); // its primitives are for these threads
        for (int batch : batches) {
            const measured m =
                measure(net, batch ? batched(net, model.given, batch) : model.given, options);
            ordered_json json;
            if (thread_count) json["threads"] = thread_count;
            if (batch) json["batch"] = batch;
            json.update(json_of(m));
            if (batch) json["items_per_second"] = 1000 * batch / m.median();
            all.push_back(json);
            if (options.json) continue;
            if (thread_count) fmt::print("{} thread(s) ", thread_count);
            if (batch)
                fmt::print("batch {}, {:.1f} items a second ", batch, 1000 * batch / m.median());
            if (thread_count || batch) fmt::print("\n");
            print(m);
        }
    }
    if (options.json) fmt::print("{}\n", (several ? all : all[0]).dump(2));
    return 0;
}

} // namespace dnnl_onnx
