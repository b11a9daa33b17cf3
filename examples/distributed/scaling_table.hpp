// SPDX-License-Identifier: Apache-2.0
// What the measurements of several numbers of ranks have in common.
#pragma once

#include "cost_model.hpp"
#include "group.hpp"

#include <functional>
#include <vector>

namespace distributed {

/// The numbers of ranks that a world of this size can measure: 1, 2, 4, ... and itself.
std::vector<int> measurable(int world_size);

/// Median.
double middle(std::vector<double> values);

/// The connection between the first two ranks: sums of 8 bytes and of `bytes`, medians of many.
connection measure_connection(const group &two, std::size_t bytes);

/// Lets the groups have their turns, one after the other, `rounds` times, while the ranks that are
/// not in a group sleep. Seconds of each turn, by group. A call of all ranks.
std::vector<std::vector<double>> take_turns(const group &world, const std::vector<int> &sizes,
    int rounds, const std::function<double(std::size_t)> &turn);

/// One line of a table: ranks, seconds, how many things a second, efficiency, what it rests on.
void print_row(int ranks, double seconds, double per_second, double efficiency, const char *basis);
void print_head(const char *title, const char *things);

} // namespace distributed
