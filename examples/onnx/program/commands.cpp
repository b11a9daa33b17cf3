// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include "../model/error.hpp"
#include "../model/read_model.hpp"
#include "../network.hpp"
#include "../plan/rewriter.hpp"
#include "inputs.hpp"
#include "npy.hpp"
#include "types.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

namespace dnnl_onnx {

namespace {

using clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

double milliseconds_since(clock::time_point start) {
    return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

/// The model in the type that is wanted, and its inputs.
struct opened {
    std::unique_ptr<network> net;
    named_tensors given;

    explicit opened(const command_options &options) {
        net = std::make_unique<network>(read_model(options.model), options_of(options, "f32", {}));
        given = inputs_of(*net, options.inputs);
        if (options.type != "f32")
            net = std::make_unique<network>(
                read_model(options.model), options_of(options, options.type, given));
    }
};

std::string file_name(std::string name) {
    for (char &c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
    return name + ".npy";
}

/// The results of a step, or of a step's arguments, as layouts.
std::string layouts(const step &s, bool results) {
    std::string text;
    const auto add = [&](const std::string &more) { text += (text.empty() ? "" : ", ") + more; };
    for (std::size_t i = 0; i < s.arguments.size(); ++i) {
        const bool written = std::count(s.written.begin(), s.written.end(), int(i)) > 0;
        if (written != results || s.arguments[i].first == DNNL_ARG_SCRATCHPAD) continue;
        add(text_of(s.arguments[i].second.desc));
    }
    for (const auto &[what, type] : results ? s.writes : s.reads)
        if (type) add(text_of(*type));
    return text;
}

std::size_t bytes_touched(const step &s) {
    std::size_t bytes = 0;
    for (const auto &[key, what] : s.arguments)
        if (key != DNNL_ARG_SCRATCHPAD) bytes += what.desc.get_size();
    for (const auto *list : {&s.reads, &s.writes})
        for (const auto &[what, type] : *list)
            if (type) bytes += type->bytes();
    return bytes;
}

void explain(const network &net) {
    for (const steps *program : net.last_programs()) {
        for (const step &s : program->list()) {
            fmt::print("{}\n    {}{}{}{}\n    {} -> {}, {} bytes\n", s.text, s.kind,
                s.implementation.empty() ? "" : ":", s.implementation,
                s.post_ops.empty() ? "" : ", then " + s.post_ops, layouts(s, false),
                layouts(s, true), bytes_touched(s));
        }
        const memory_use use = program->use();
        fmt::print("{} steps; {} bytes at once, {} without sharing, {} of weights\n",
            program->list().size(), use.at_once, use.summed, use.constants);
    }
}

ordered_json explained(const network &net) {
    ordered_json programs = ordered_json::array();
    for (const steps *program : net.last_programs()) {
        ordered_json list = ordered_json::array();
        for (const step &s : program->list())
            list.push_back(
                {{"nodes", s.text}, {"primitive", s.kind}, {"implementation", s.implementation},
                    {"post_ops", s.post_ops}, {"reads", layouts(s, false)},
                    {"writes", layouts(s, true)}, {"bytes", bytes_touched(s)}});
        const memory_use use = program->use();
        programs.push_back({{"steps", list}, {"bytes_at_once", use.at_once},
            {"bytes_without_sharing", use.summed}, {"bytes_of_weights", use.constants}});
    }
    return programs;
}

struct step_time {
    const step *what;
    double milliseconds = 0;
};

} // namespace

int run_command(const command_options &options) {
    const opened model(options);
    network &net = *model.net;
    const named_tensors &given = model.given;
    const std::vector<tensor> outputs = net.run(given);
    ordered_json json;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::string &name = net.outputs()[i].name;
        const std::vector<double> values = outputs[i].numbers();
        const double sum = std::accumulate(values.begin(), values.end(), 0.0);
        if (!options.out.empty()) {
            std::filesystem::create_directories(options.out);
            write_npy(std::filesystem::path(options.out) / file_name(name), outputs[i]);
        }
        if (options.json)
            json["outputs"].push_back({{"name", name}, {"type", name_of(outputs[i].type().type)},
                {"dims", outputs[i].dims()}, {"sum", sum}});
        else
            fmt::print("{} {} sum {}\n", name, text_of(outputs[i].type()), sum);
    }
    if (options.explain && options.json) json["programs"] = explained(net);
    if (options.json) fmt::print("{}\n", json.dump(2));
    if (options.explain && !options.json) explain(net);
    return 0;
}

int bench_command(const command_options &options) {
    const opened model(options);
    network &net = *model.net;
    const named_tensors &given = model.given;
    const clock::time_point first = clock::now();
    net.run(given);
    const double first_run = milliseconds_since(first);
    net.run(given);
    std::vector<double> times;
    for (const clock::time_point start = clock::now();
         milliseconds_since(start) < options.seconds * 1000 || times.size() < 3;) {
        const clock::time_point begin = clock::now();
        net.run(given);
        times.push_back(milliseconds_since(begin));
    }
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    std::vector<step_time> layers;
    if (options.layers) {
        std::map<std::pair<const steps *, std::size_t>, std::size_t> index;
        const int runs = int(std::min<std::size_t>(times.size(), 20));
        for (int run = 0; run < runs; ++run) {
            clock::time_point last = clock::now();
            net.run(given, [&](const steps &program, std::size_t at) {
                const auto [found, is_new] = index.try_emplace({&program, at}, layers.size());
                if (is_new) layers.push_back({&program.list()[at]});
                layers[found->second].milliseconds += milliseconds_since(last) / runs;
                last = clock::now();
            });
        }
    }
    if (options.json) {
        ordered_json json {{"first_ms", first_run}, {"best_ms", times[0]}, {"median_ms", median},
            {"runs", times.size()}, {"runs_per_second", 1000 / median}};
        for (const step_time &layer : layers)
            json["layers"].push_back({{"nodes", layer.what->text}, {"primitive", layer.what->kind},
                {"implementation", layer.what->implementation}, {"ms", layer.milliseconds}});
        fmt::print("{}\n", json.dump(2));
        return 0;
    }
    std::stable_sort(layers.begin(), layers.end(),
        [](const step_time &a, const step_time &b) { return a.milliseconds > b.milliseconds; });
    for (const step_time &layer : layers)
        fmt::print("{:9.4f} ms  {}:{} {} | {}\n", layer.milliseconds, layer.what->kind,
            layer.what->implementation, layouts(*layer.what, false), layer.what->text);
    fmt::print(
        "first run {:.3f} ms, then best {:.3f} ms, median {:.3f} ms of {} runs: {:.1f} a second\n",
        first_run, times[0], median, times.size(), 1000 / median);
    return 0;
}

namespace {

void find_missing(const graph &of, std::map<std::string, std::vector<std::string>> &missing) {
    for (const node &n : of.nodes) {
        const bool control = n.domain.empty() && (n.operation == "If" || n.operation == "Loop" ||
                                                     n.operation == "Scan");
        if (!control && !find_operator(n.domain, n.operation))
            missing[(n.domain.empty() ? "" : n.domain + ".") + n.operation].push_back(n.text());
        for (const auto &[name, value] : n.attributes)
            if (value.body) find_missing(*value.body, missing);
    }
}

} // namespace

int check_command(const command_options &options) {
    const model read = read_model(options.model);
    std::map<std::string, std::vector<std::string>> missing;
    find_missing(read.main, missing);
    if (options.json) {
        ordered_json json {
            {"nodes", read.main.nodes.size()}, {"opset", read.opset()}, {"missing", missing}};
        fmt::print("{}\n", json.dump(2));
    } else {
        fmt::print("{} nodes, operator set {}\n", read.main.nodes.size(), read.opset());
        for (const value_info &input : read.main.inputs)
            fmt::print("input {} {}\n", input.name, text_of(input.type));
        for (const value_info &output : read.main.outputs)
            fmt::print("output {} {}\n", output.name, text_of(output.type));
        for (const auto &[name, nodes] : missing) {
            fmt::print("there is no operator {}:", name);
            for (const std::string &each : nodes) fmt::print(" {};", each);
            fmt::print("\n");
        }
        if (missing.empty()) fmt::print("every operator is there\n");
    }
    return missing.empty() ? 0 : 1;
}

} // namespace dnnl_onnx
