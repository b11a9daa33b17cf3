// SPDX-License-Identifier: Apache-2.0
// The formulas of the cost model.
#include "cost_model.hpp"

#include <algorithm>
#include <cmath>

namespace distributed {

double sum_seconds(const connection &by, double bytes, int ranks) {
    if (ranks < 2) return 0;
    const double R = ranks;
    const double moved = 2 * bytes * (R - 1) / R / by.bandwidth;
    const double ring = 2 * (R - 1) * by.latency + moved;
    const double halving = 2 * std::ceil(std::log2(R)) * by.latency + moved;
    return std::min(ring, halving);
}

connection connection_of(
    double small_bytes, double small_seconds, double large_bytes, double large_seconds) {
    // Over two ranks a sum takes 2 x latency + bytes / bandwidth.
    const double slope =
        std::max((large_seconds - small_seconds) / (large_bytes - small_bytes), 1e-13);
    return {std::max(small_seconds - slope * small_bytes, 0.) / 2, 1 / slope};
}

double training_step(const training_cost &of, const connection &by, int ranks, double shares) {
    const double last = sum_seconds(by, of.last_bytes, ranks);
    const double before = sum_seconds(by, of.bytes - of.last_bytes, ranks);
    return shares * of.share_seconds + last + std::max(0., before - of.hideable);
}

double inference_pass(const inference_cost &of, const connection &by, int ranks) {
    return of.divided / ranks + of.repeated + of.sums * sum_seconds(by, of.bytes, ranks);
}

} // namespace distributed
