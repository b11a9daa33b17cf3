// SPDX-License-Identifier: Apache-2.0
// The time of a piece of work.
#pragma once

#include <algorithm>
#include <chrono>

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

} // namespace techniques
