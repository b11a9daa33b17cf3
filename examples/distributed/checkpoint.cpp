// SPDX-License-Identifier: Apache-2.0
// Writes and reads checkpoints: settings, losses, the network, the optimizer's steps and moments.
#include "checkpoint.hpp"

#include "../int8_accuracy/data/checked_file.hpp"
#include "../int8_accuracy/networks/weights_file.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace distributed {

using namespace int8_accuracy;

namespace {

const std::string kind = "traind01";

} // namespace

void write_checkpoint(const checkpoint &from, const std::filesystem::path &path) {
    checked_writer to(kind);
    to.add(from.settings);
    to.add(std::uint64_t(from.losses.size()));
    for (const double loss : from.losses) to.add(loss);
    add_network(from.trained, to);
    to.add(std::uint64_t(from.moments.steps));
    to.add(std::uint64_t(from.moments.moments.size()));
    for (const std::vector<float> &each : from.moments.moments) to.add(each);
    to.write(path);
}

checkpoint parse_checkpoint(
    std::string bytes, const std::string &name, const network &net, const std::string &settings) {
    checked_reader from(std::move(bytes), kind, name);
    checkpoint found;
    found.settings = from.text();
    if (found.settings != settings)
        throw std::runtime_error(
            fmt::format("{}: of a run with {}, not {}", name, found.settings, settings));
    const std::uint64_t epochs = from.number();
    for (std::uint64_t e = 0; e < epochs; ++e) found.losses.push_back(from.real());
    found.trained = take_network(from, net, name);
    found.moments.steps = int(from.number());
    const std::uint64_t tensors = from.number();
    for (std::uint64_t t = 0; t < tensors; ++t) found.moments.moments.push_back(from.values());
    from.finish();
    // The moments of momentum: a velocity for each number that is updated, layer by layer.
    std::size_t t = 0;
    for (const layer_parameters &p : found.trained.learned)
        for (const auto *values : {&p.weights, &p.recurrent, &p.bias}) {
            if (values->empty()) continue;
            if (t == tensors || found.moments.moments[t].size() != values->size()) from.refuse();
            ++t;
        }
    if (t != tensors) from.refuse();
    return found;
}

} // namespace distributed
