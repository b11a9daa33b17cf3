// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <chrono>

namespace topologies {
namespace {

using steady = std::chrono::steady_clock;

double seconds_since(steady::time_point start) {
    return std::chrono::duration<double>(steady::now() - start).count();
}

pass_time one_pass(const built_network &of, dnnl::stream &stream) {
    pass_time t;
    const steady::time_point start = steady::now();
    steady::time_point before = start;
    of.run(stream, [&](const step &s) {
        const steady::time_point now = steady::now();
        t.kinds[s.what] += std::chrono::duration<double>(now - before).count();
        before = now;
    });
    t.whole = seconds_since(start);
    t.products = t.kinds["convolution"] + t.kinds["matmul"];
    return t;
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

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double median_of(const std::vector<pass_time> &times, double pass_time::*part) {
    std::vector<double> all;
    for (const pass_time &t : times) all.push_back(t.*part);
    return median(all);
}

double ratio_of(
    const std::vector<pass_time> &a, const std::vector<pass_time> &b, double pass_time::*part) {
    std::vector<double> all;
    for (std::size_t i = 0; i < a.size(); ++i) all.push_back(a[i].*part / b[i].*part);
    return median(all);
}

double share_of(const std::vector<pass_time> &times, const std::string &kind) {
    double some = 0, all = 0;
    for (const pass_time &t : times) {
        const auto found = t.kinds.find(kind);
        if (found != t.kinds.end()) some += found->second;
        all += t.whole;
    }
    return some / all;
}

std::vector<double> step_times(const built_network &of, dnnl::stream &stream, int passes) {
    std::vector<double> least(of.steps().size(), 1e9);
    for (int i = 0; i < passes; ++i) {
        std::size_t n = 0;
        steady::time_point before = steady::now();
        of.run(stream, [&](const step &) {
            const steady::time_point now = steady::now();
            const double t = std::chrono::duration<double>(now - before).count();
            least[n] = std::min(least[n], t);
            ++n;
            before = steady::now();
        });
    }
    return least;
}

} // namespace topologies
