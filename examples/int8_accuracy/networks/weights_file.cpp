// SPDX-License-Identifier: Apache-2.0
// Writes and reads files of trained networks: the text of the network; the vectors mean and
// deviation; five vectors for each layer.
#include "weights_file.hpp"

#include "../data/checked_file.hpp"
#include "network_text.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

const std::string kind = "int8acc1";

/// What the two networks do not have in common, for a message.
std::string difference(const std::string &of_file, const network &expected) {
    network other;
    try {
        other = parse_network(of_file, "file");
    } catch (const std::runtime_error &) {
        return "its network is not understood";
    }
    for (std::size_t l = 0; l < std::min(other.layers.size(), expected.layers.size()); ++l)
        if (other.layers[l].name != expected.layers[l].name ||
            other.layers[l].result != expected.layers[l].result ||
            other.layers[l].kind != expected.layers[l].kind)
            return fmt::format("layer {} is '{}' there and '{}' here, or has another shape", l + 1,
                other.layers[l].name, expected.layers[l].name);
    return fmt::format("it has {} layers, not {}", other.layers.size(), expected.layers.size());
}

bool equal_sizes(const layer_parameters &a, const layer_parameters &b) {
    return a.weights.size() == b.weights.size() && a.recurrent.size() == b.recurrent.size() &&
           a.bias.size() == b.bias.size() && a.mean.size() == b.mean.size() &&
           a.variance.size() == b.variance.size();
}

} // namespace

void add_network(const trained_network &from, checked_writer &to) {
    to.add(text_of(from.net));
    to.add(from.mean);
    to.add(from.deviation);
    for (const layer_parameters &p : from.learned)
        for (const auto *values : {&p.weights, &p.recurrent, &p.bias, &p.mean, &p.variance})
            to.add(*values);
}

trained_network take_network(
    checked_reader &from, const network &expected, const std::string &name) {
    const std::string text = from.text();
    if (text != text_of(expected))
        throw std::runtime_error(
            fmt::format("{}: weights of another network: {}", name, difference(text, expected)));
    trained_network result {expected, {}, from.values(), from.values()};
    for (const layer &each : expected.layers) {
        layer_parameters p;
        for (auto *values : {&p.weights, &p.recurrent, &p.bias, &p.mean, &p.variance})
            *values = from.values();
        if (!equal_sizes(p, zero_parameters(each))) from.refuse();
        result.learned.push_back(std::move(p));
    }
    return result;
}

void write_weights(const trained_network &from, const std::filesystem::path &path) {
    checked_writer to(kind);
    add_network(from, to);
    to.write(path);
}

trained_network read_weights(const std::filesystem::path &path, const network &expected) {
    const std::string name = path.string();
    checked_reader from(file_bytes(path), kind, name);
    trained_network result = take_network(from, expected, name);
    from.finish();
    return result;
}

} // namespace int8_accuracy
