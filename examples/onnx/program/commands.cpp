// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include "../model/error.hpp"
#include "../model/read_model.hpp"
#include "npy.hpp"
#include "opened_model.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace dnnl_onnx {

namespace {

using nlohmann::ordered_json;

std::string file_name(std::string name) {
    for (char &c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
    return name + ".npy";
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

} // namespace

int run_command(const command_options &options) {
    const opened_model model(options);
    network &net = *model.net;
    const named_tensors &given = model.given;
    const std::vector<tensor> outputs = net.run(given, run_progress("running"));
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
