// SPDX-License-Identifier: Apache-2.0
// Two reports side by side.
#pragma once

#include "results.hpp"
#include "tables.hpp"

#include <string>
#include <vector>

namespace int8_accuracy {

/// For each network that both have: scores, weight bytes and speeds of the methods that both have,
/// and notes about what only one of them has or what was measured differently (data, counts, CPU).
std::vector<text_table> comparison_tables(
    const report &a, const std::string &name_a, const report &b, const std::string &name_b);

/// The tables as one page.
std::string comparison_page(
    const std::vector<text_table> &tables, const std::string &name_a, const std::string &name_b);

} // namespace int8_accuracy
