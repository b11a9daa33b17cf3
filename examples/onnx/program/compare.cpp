// SPDX-License-Identifier: Apache-2.0
// The command compare: f32 beside other types, result by result.
#include "commands.hpp"

#include "../allow.hpp"
#include "../inspect.hpp"
#include "../model/error.hpp"
#include "../model/read_model.hpp"
#include "inputs.hpp"
#include "types.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace dnnl_onnx {

namespace {

/// The results of all steps but reorders, by their nodes, and of the network.
struct observed {
    std::vector<std::string> order;
    std::map<std::string, tensor> results;
    std::vector<tensor> outputs;
};

observed observe(network &net, const named_tensors &given) {
    observed seen;
    seen.outputs = net.run(given, [&](const steps &program, std::size_t at) {
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

} // namespace

int compare_command(const command_options &options) {
    network plain(read_model(options.model), options_of(options, "f32", {}));
    const named_tensors given = inputs_of(plain, options.inputs);
    const observed wanted = observe(plain, given);
    nlohmann::ordered_json json;
    for (const std::string &type : options.types) {
        network other(read_model(options.model), options_of(options, type, given));
        const observed found = observe(other, given);
        nlohmann::ordered_json steps = nlohmann::ordered_json::array();
        std::string begins;
        if (!options.json) fmt::print("f32 beside {}\n", type);
        for (const std::string &text : wanted.order) {
            const auto same = found.results.find(text);
            if (same == found.results.end() ||
                same->second.count() != wanted.results.at(text).count())
                continue;
            const difference d = difference_of(wanted.results.at(text), same->second);
            if (begins.empty() && d.decibels < options.decibels) begins = text;
            if (options.json)
                steps.push_back(
                    {{"nodes", text}, {"decibels", d.decibels}, {"largest", d.largest}});
            else if (options.layers)
                fmt::print("{:7.1f} dB  largest {:.1e}  {}\n", d.decibels, d.largest, text);
        }
        nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < wanted.outputs.size(); ++i) {
            const difference d = difference_of(wanted.outputs[i], found.outputs[i]);
            const double labels =
                1 - changed_decisions({wanted.outputs[i]}, {found.outputs[i]}) / 100;
            const std::string &name = plain.outputs()[i].name;
            if (options.json)
                outputs.push_back({{"name", name}, {"decibels", d.decibels}, {"largest", d.largest},
                    {"same_decisions", labels}});
            else
                fmt::print("output {}: {:.1f} dB, largest difference {:.1e}, {:.1f} % of the "
                           "decisions the same\n",
                    name, d.decibels, d.largest, 100 * labels);
        }
        if (!options.json && !begins.empty())
            fmt::print("the first result below {} dB: {}\n", options.decibels, begins);
        json[type] = {{"steps", steps}, {"outputs", outputs}, {"begins", begins}};
    }
    if (options.json) fmt::print("{}\n", json.dump(2));
    return 0;
}

} // namespace dnnl_onnx
