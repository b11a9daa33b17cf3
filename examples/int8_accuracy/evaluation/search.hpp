// SPDX-License-Identifier: Apache-2.0
// Which layers cost accuracy, and how many of them may be int8.
#pragma once

#include "judge.hpp"

#include <functional>
#include <vector>

namespace int8_accuracy {

/// The score with each layer alone in `narrow` and the others in f32, and the other way round.
/// `done` is called after each of them with how many are behind us and how many there are.
std::vector<sensitivity> sensitivities(
    const judge &by, const layer_format &narrow, const std::function<void(int, int)> &done);

/// One rung of a ladder from the fastest to the most exact format.
struct rung {
    std::string name;
    layer_format format;
};

/// int8 as `narrow` says, 16-bit integers, bf16, f32; without those that the library refuses.
std::vector<rung> ladder(const judge &by, const layer_format &narrow);

struct found_assignment {
    assignment formats;
    std::vector<std::string> names; // of the rungs
    score found;
};

/// Begins with all layers on the first rung. While the loss is above `allowed` (points, or
/// hundredths of a bit per character), the layer whose step to the next rung wins most for each
/// multiplication that becomes slower takes that step. Ends in f32 at the latest.
found_assignment best_assignment(
    const judge &by, const network &net, const std::vector<rung> &rungs, double allowed);

} // namespace int8_accuracy
