// SPDX-License-Identifier: Apache-2.0
// Sentences about what the numbers of a network say.
#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace int8_accuracy {

/// Which methods lose accuracy, in which layer, and whether that is more than chance; which format
/// is fastest at this processor, and how that depends on the instruction set. What was not measured
/// has no sentence.
std::vector<std::string> remarks_of(const network_report &net);

/// Puts them into network_report::remarks of all networks.
void add_remarks(report &results);

} // namespace int8_accuracy
