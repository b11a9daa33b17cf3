// SPDX-License-Identifier: Apache-2.0
// Images that come as fast as they are answered, or at random times.
#pragma once

#include "instances.hpp"

namespace serve {

/// Times between the arrival of an image and its answer, and images a second.
struct latencies {
    double p50 = 0, p95 = 0, p99 = 0; // ms
    double answered = 0;              // images a second
};

/// Images a second where all instances always have a batch to work on.
double throughput(const served_network &of, const division &by, double seconds);

/// Images come at random times, `rate` of them a second on average (a Poisson process), whether the
/// ones before are answered or not; an instance takes up to a batch of those that wait.
latencies under_load(
    const served_network &of, const division &by, double rate, double seconds, std::uint64_t seed);

/// The class of every image, as the division answers it.
std::vector<int> answers(const served_network &of, const division &by);

} // namespace serve
