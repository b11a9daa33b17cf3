// SPDX-License-Identifier: Apache-2.0
// What the library tells of a creation with ONEDNN_VERBOSE=dispatch: the rows that refused the
// problem, and how its products are cut.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace explain {

/// A row that refused a problem.
struct refusal {
    std::string row, reason;
};

struct dispatch {
    std::vector<refusal> refusals; ///< in the order in which rows were asked
    std::vector<std::string> cuts; ///< "64x64x64 in blocks of 48x64x64"
};

/// What `create` makes the library print, taken from standard output; needs
/// ONEDNN_VERBOSE=dispatch.
dispatch observed(const std::function<void()> &create);

/// Rows of one kind of refusal, each reason once with the families that gave it.
struct explained {
    std::vector<std::string> without_instructions; ///< rows that need other instruction sets
    std::vector<refusal> made_for_others;          ///< `row` lists the families
    std::vector<refusal> refused; ///< rows that would take the problem without this
};
explained grouped(const std::vector<refusal> &refusals);

} // namespace explain
