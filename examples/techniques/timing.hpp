// SPDX-License-Identifier: Apache-2.0
// The time of a piece of work, and the middle of several times.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace techniques {

/// Seconds of the fastest of so many calls.
template <class Work> double fastest(const Work &work, int calls) {
    using clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int i = 0; i < calls; ++i) {
        const clock::time_point start = clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(clock::now() - start).count());
    }
    return best;
}

/// The middle of at least one number, or halfway between the two in the middle.
inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

} // namespace techniques
