// SPDX-License-Identifier: Apache-2.0
// The command compare: f32 beside other types, result by result.
#include "commands.hpp"

#include "../../reporting/html.hpp"
#include "../../reporting/plots.hpp"
#include "../allow.hpp"
#include "../inspect.hpp"
#include "../model/error.hpp"
#include "../model/read_model.hpp"
#include "inputs.hpp"
#include "opened_model.hpp"
#include "types.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace dnnl_onnx {

namespace {

/// The results of all steps but reorders, by their nodes, and of the network.
struct observed {
    std::vector<std::string> order;
    std::map<std::string, tensor> results;
    std::vector<tensor> outputs;
};

observed observe(network &net, const named_tensors &given, const std::string &type) {
    observed seen;
    run_progress progress(type);
    seen.outputs = net.run(given, [&](const steps &program, std::size_t at) {
        progress(program, at);
        const step &s = program.list()[at];
        if (s.kind == "reorder" || s.text == "results") return;
        const tensor result = result_of(net, program, at);
        if (!result) return;
        if (!seen.results.count(s.text)) seen.order.push_back(s.text);
        seen.results[s.text] = result;
    });
    return seen;
}

struct difference {
    double decibels = 0; // signal over noise
    double largest = 0;  // difference, over the largest magnitude of f32
};

difference difference_of(const tensor &wanted, const tensor &found) {
    const std::vector<double> x = wanted.numbers(), y = found.numbers();
    double signal = 0, noise = 0, largest = 0, most = 0;
    for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
        const double d = x[i] - y[i];
        signal += x[i] * x[i];
        noise += d * d;
        largest = std::max(largest, std::abs(d));
        most = std::max(most, std::abs(x[i]));
    }
    const double decibels = noise > 0 ? std::min(10 * std::log10(signal / noise), 200.) : 200;
    return {decibels, most > 0 ? largest / most : largest};
}

struct step_difference {
    std::string nodes;
    difference value;
};

struct output_difference {
    std::string name;
    difference value;
    double same_decisions = 1;
};

/// What one type changes.
struct compared {
    std::string type;
    std::vector<step_difference> steps;
    std::vector<output_difference> outputs;
    std::string begins; // the first step below the limit
};

compared compare(const network &plain, const observed &wanted, const observed &found,
    const std::string &type, double limit) {
    compared result {type, {}, {}, {}};
    for (const std::string &text : wanted.order) {
        const auto same = found.results.find(text);
        if (same == found.results.end() || same->second.count() != wanted.results.at(text).count())
            continue;
        result.steps.push_back({text, difference_of(wanted.results.at(text), same->second)});
        if (result.begins.empty() && result.steps.back().value.decibels < limit)
            result.begins = text;
    }
    for (std::size_t i = 0; i < wanted.outputs.size(); ++i)
        result.outputs.push_back(
            {plain.outputs()[i].name, difference_of(wanted.outputs[i], found.outputs[i]),
                1 - changed_decisions({wanted.outputs[i]}, {found.outputs[i]}) / 100});
    return result;
}

void print(const compared &c, const command_options &options) {
    fmt::print("f32 beside {}\n", c.type);
    if (options.layers)
        for (const step_difference &s : c.steps)
            fmt::print(
                "{:7.1f} dB  largest {:.1e}  {}\n", s.value.decibels, s.value.largest, s.nodes);
    for (const output_difference &o : c.outputs)
        fmt::print("output {}: {:.1f} dB, largest difference {:.1e}, {:.1f} % of the decisions the "
                   "same\n",
            o.name, o.value.decibels, o.value.largest, 100 * o.same_decisions);
    if (!c.begins.empty())
        fmt::print("the first result below {} dB: {}\n", options.decibels, c.begins);
}

nlohmann::ordered_json json_of(const compared &c) {
    nlohmann::ordered_json steps = nlohmann::ordered_json::array(), outputs = steps;
    for (const step_difference &s : c.steps)
        steps.push_back(
            {{"nodes", s.nodes}, {"decibels", s.value.decibels}, {"largest", s.value.largest}});
    for (const output_difference &o : c.outputs)
        outputs.push_back({{"name", o.name}, {"decibels", o.value.decibels},
            {"largest", o.value.largest}, {"same_decisions", o.same_decisions}});
    return {{"steps", steps}, {"outputs", outputs}, {"begins", c.begins}};
}

/// Tables of the outputs and of the worst steps, and the ratio step by step.
void write_page(const std::vector<compared> &all, const command_options &options) {
    std::vector<std::vector<std::string>> outputs, worst;
    std::string plots = "<div class=\"pair\">\n";
    for (const compared &c : all) {
        for (const output_difference &o : c.outputs)
            outputs.push_back({o.name, c.type, fmt::format("{:.1f}", o.value.decibels),
                fmt::format("{:.1e}", o.value.largest),
                fmt::format("{:.1f}", 100 * o.same_decisions)});
        std::vector<double> decibels;
        for (const step_difference &s : c.steps)
            decibels.push_back(std::clamp(s.value.decibels, 0., 80.));
        if (!decibels.empty())
            plots += reporting::line_plot(c.type + ": signal to noise of each step, dB, at most 80",
                "#0072B2", decibels, "step");
        std::vector<step_difference> sorted = c.steps;
        std::stable_sort(sorted.begin(), sorted.end(),
            [](const auto &a, const auto &b) { return a.value.decibels < b.value.decibels; });
        for (std::size_t i = 0; i < std::min<std::size_t>(10, sorted.size()); ++i)
            worst.push_back({sorted[i].nodes.substr(0, sorted[i].nodes.find(" + ")), c.type,
                fmt::format("{:.1f}", sorted[i].value.decibels),
                fmt::format("{:.1e}", sorted[i].value.largest)});
    }
    const std::string file = std::filesystem::path(options.model).filename().string();
    reporting::write_text(
        reporting::page(file + " in fewer bits", file + ": f32 beside other types",
            "One input; differences are relative to the largest magnitude in f32.",
            "<h2>Outputs</h2>\n" +
                reporting::table(
                    {"", "type", "dB", "largest difference", "same decisions %"}, outputs) +
                "<h2>Steps</h2>\n" + plots +
                "</div>\n<h2>The ten noisiest steps of each type</h2>\n" +
                reporting::table({"first node", "type", "dB", "largest difference"}, worst)),
        options.html);
}

} // namespace

int compare_command(const command_options &options) {
    network plain(read_model(options.model), plain_options(options));
    const named_tensors given = inputs_of(plain, options.inputs, options.scaling);
    const observed wanted = observe(plain, given, "f32");
    nlohmann::ordered_json json;
    std::vector<compared> all;
    for (const std::string &type : options.types) {
        network other(plain.source(), options_of(options, type, plain, given));
        all.push_back(compare(plain, wanted, observe(other, given, type), type, options.decibels));
        if (options.json)
            json[type] = json_of(all.back());
        else
            print(all.back(), options);
    }
    if (options.json) fmt::print("{}\n", json.dump(2));
    if (!options.html.empty()) write_page(all, options);
    return 0;
}

} // namespace dnnl_onnx
