// SPDX-License-Identifier: Apache-2.0
// Candidates that take turns.
#pragma once

#include "../inference/runner.hpp"
#include "speed.hpp"

#include <memory>
#include <string>
#include <vector>

namespace int8_accuracy {

/// One candidate at one batch, ready to run, or the reason why not.
struct timed_runner {
    std::unique_ptr<runner> network; // empty if there is nothing to measure
    std::string refusal;             // the library's
    int batch = 1;
    double per_second = 0;     // objects, in the fastest round
    double seconds = 0;        // of all rounds
    std::vector<float> logits; // of its first run
};

timed_runner prepared(const dnnl::engine &engine, const speed_task &task,
    const speed_candidate &candidate, int batch);

/// Runs all of them for a ninth of the seconds each, nine times over, so that other load on the
/// machine meets all of them; load only ever slows a round down, and the fastest one counts. One
/// whose single runs take longer has had its rounds after twice the seconds.
void run_rounds(std::vector<timed_runner> &all, const speed_task &task);

} // namespace int8_accuracy
