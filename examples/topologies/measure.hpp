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
    std::vector<double> steps; // each primitive
};

/// For each network its times in each round; in a round the networks run one after the other.
std::vector<std::vector<pass_time>> times_of(
    const std::vector<const built_network *> &networks, dnnl::stream &stream, int rounds);

/// A pass of which each primitive takes the least time that it took in any: what other programs on
/// the machine take of it in between is left out.
pass_time least_of(const built_network &of, const std::vector<pass_time> &times);
/// The median over rounds of the quotient of each round: how many times as fast `b` is.
double ratio_of(
    const std::vector<pass_time> &a, const std::vector<pass_time> &b, double pass_time::*part);
} // namespace topologies
