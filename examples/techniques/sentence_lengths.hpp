// SPDX-License-Identifier: Apache-2.0
// Lengths of sentences and of their translations, drawn so that batches of them waste as many steps
// as published batches did.
#pragma once

#include "../random_source.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace techniques {

/// Lengths of a source, gamma of shape 2.5 and mean 25 within 1 ... 58, and of its translation.
struct sentence {
    int source, target;
};

inline double gamma_2_5(examples::random_source &random) {
    // Two exponentials and half a square of a normal number: shapes 1, 1 and 1/2.
    const double normal = random.normal();
    return -std::log(1 - random.unit()) - std::log(1 - random.unit()) + normal * normal / 2;
}

/// The same lengths in every run.
inline std::vector<sentence> corpus(int count) {
    examples::random_source random(7);
    std::vector<sentence> all;
    const auto bounded = [](double length) { return std::clamp(int(std::lround(length)), 1, 58); };
    for (int i = 0; i < count; ++i) {
        const int source = bounded(10 * gamma_2_5(random));
        all.push_back({source, bounded(source * (1 + .12 * random.normal()))});
    }
    return all;
}

/// Wasted steps of the decoder for each useful one, %. Batches are sorted by the source's length; a
/// dynamic one drops sentences from its end when all of those have ended.
inline double waste(const std::vector<sentence> &all, int batch, bool dynamic) {
    double steps = 0, useful = 0;
    for (std::size_t begin = 0; begin + std::size_t(batch) <= all.size();
         begin += std::size_t(batch)) {
        std::vector<sentence> in(all.begin() + long(begin), all.begin() + long(begin) + batch);
        std::stable_sort(
            in.begin(), in.end(), [](auto &a, auto &b) { return a.source > b.source; });
        int longest = 0;
        for (std::size_t j = in.size(); j-- > 0;) {
            longest = std::max(longest, in[j].target);
            steps += dynamic ? longest : 0;
            useful += in[j].target;
        }
        if (!dynamic) steps += double(longest) * batch;
    }
    return 100 * (steps - useful) / useful;
}

/// Claims the waste of each batch size beside the published one. The lengths that were published
/// are not known; those of corpus() are drawn to waste as much, within 3 points.
template <class Claims> void claim_waste(Claims &claims, const std::vector<sentence> &all) {
    const struct {
        int batch;
        double still, dynamic; // published, %
    } published[] = {{1, 0, 0}, {2, 32.2, .2}, {4, 66.3, 1.3}, {8, 92.3, 1.9}, {16, 115, 4.3}};
    const auto percent = [](double x) { return std::to_string(x).substr(0, 5) + " %"; };
    for (const auto &p : published) {
        const double still = waste(all, p.batch, false), dynamic = waste(all, p.batch, true);
        const std::string batch = " of batches of " + std::to_string(p.batch);
        claims.figure("S0-31", "wasted steps" + batch + ", static", still, "%", percent(p.still),
            std::fabs(still - p.still) < 3);
        claims.figure("S0-31", "wasted steps" + batch + ", dynamic", dynamic, "%",
            percent(p.dynamic), std::fabs(dynamic - p.dynamic) < 3);
    }
}

} // namespace techniques
