// SPDX-License-Identifier: Apache-2.0
// The times of networks, side by side.
#pragma once

#include "build.hpp"

#include <map>

namespace topologies {

/// Seconds of one pass: of all of it, of its primitives by kind, and of products (convolutions that
/// are not depthwise, and matmuls).
struct pass_time {
    double whole = 0, products = 0;
    std::map<std::string, double> kinds;
};

/// For each network its times in each round; in a round the networks run one after the other.
std::vector<std::vector<pass_time>> times_of(
    const std::vector<const built_network *> &networks, dnnl::stream &stream, int rounds);

double median(std::vector<double> values);
double median_of(const std::vector<pass_time> &times, double pass_time::*part);
/// The median over rounds of the quotient of each round: how many times as fast `b` is.
double ratio_of(
    const std::vector<pass_time> &a, const std::vector<pass_time> &b, double pass_time::*part);
/// The part of the time that primitives of the kind take.
double share_of(const std::vector<pass_time> &times, const std::string &kind);

/// Seconds of each step in the fastest of some passes.
std::vector<double> step_times(const built_network &of, dnnl::stream &stream, int passes);

} // namespace topologies
