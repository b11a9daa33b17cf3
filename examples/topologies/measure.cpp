// SPDX-License-Identifier: Apache-2.0
// Times of passes, and what they have in common.
#include "measure.hpp"

#include "../techniques/timing.hpp"

#include <algorithm>
#include <chrono>

namespace topologies {
namespace {

using steady = std::chrono::steady_clock;

pass_time sum_of(const built_network &of, const std::vector<double> &steps) {
    pass_time t;
    t.steps = steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        t.kinds[of.steps()[i].what] += steps[i];
        t.whole += steps[i];
    }
    t.products = t.kinds["convolution"] + t.kinds["matmul"];
    return t;
}

pass_time one_pass(const built_network &of, dnnl::stream &stream) {
    std::vector<double> steps;
    steady::time_point before = steady::now();
    of.run(stream, [&](const step &) {
        const steady::time_point now = steady::now();
        steps.push_back(std::chrono::duration<double>(now - before).count());
        before = now;
    });
    return sum_of(of, steps);
}

} // namespace

std::vector<std::vector<pass_time>> times_of(
    const std::vector<const built_network *> &networks, dnnl::stream &stream, int rounds) {
    for (const built_network *n : networks) n->run(stream);
    std::vector<std::vector<pass_time>> times(networks.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t n = 0; n < networks.size(); ++n) {
            // The first pass fills the caches with this network.
            one_pass(*networks[n], stream);
            times[n].push_back(one_pass(*networks[n], stream));
        }
    return times;
}

pass_time least_of(const built_network &of, const std::vector<pass_time> &times) {
    std::vector<double> least = times[0].steps;
    for (const pass_time &t : times)
        for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], t.steps[i]);
    return sum_of(of, least);
}

double ratio_of(
    const std::vector<pass_time> &a, const std::vector<pass_time> &b, double pass_time::*part) {
    std::vector<double> all;
    for (std::size_t i = 0; i < a.size(); ++i) all.push_back(a[i].*part / b[i].*part);
    return techniques::median(all);
}

} // namespace topologies
