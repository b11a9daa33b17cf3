// SPDX-License-Identifier: Apache-2.0
// Turns, the measured connection and tables.
#include "scaling_table.hpp"

#include "../int8_accuracy/execution/timer.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace distributed {

using int8_accuracy::timer;

std::vector<int> measurable(int world_size) {
    std::vector<int> sizes;
    for (int ranks = 1; ranks < world_size; ranks *= 2) sizes.push_back(ranks);
    sizes.push_back(world_size);
    return sizes;
}

double middle(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + long(values.size() / 2), values.end());
    return values[values.size() / 2];
}

connection measure_connection(const group &two, std::size_t bytes) {
    constexpr int repeats = 101;
    const auto seconds = [&](std::size_t count) {
        std::vector<float> values(count, 1.f);
        std::vector<double> times;
        for (int i = 0; i < repeats; ++i) {
            std::fill(values.begin(), values.end(), 1.f);
            two.barrier();
            const timer clock;
            two.sum(values.data(), values.size());
            times.push_back(clock.seconds());
        }
        return middle(times);
    };
    const std::size_t few = 2, many = std::max(bytes / sizeof(float), std::size_t(1024));
    const double small = seconds(few), large = seconds(many);
    return connection_of(double(few * sizeof(float)), small, double(many * sizeof(float)), large);
}

std::vector<std::vector<double>> take_turns(const group &world, const std::vector<int> &sizes,
    int rounds, const std::function<double(std::size_t)> &turn) {
    std::vector<std::vector<double>> found(sizes.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t g = 0; g < sizes.size(); ++g) {
            const double own = world.rank() < sizes[g] ? turn(g) : 0;
            world.sleeping_barrier();
            found[g].push_back(world.largest(own));
        }
    return found;
}

void print_head(const char *title, const char *things) {
    fmt::print("\n{}\n{:>6}  {:>10}  {:>14}  {:>10}\n", title, "ranks", "ms", things, "efficiency");
}

void print_row(int ranks, double seconds, double per_second, double efficiency, const char *basis) {
    fmt::print("{:6}  {:10.3f}  {:14.0f}  {:9.1f} %  {}\n", ranks, 1e3 * seconds, per_second,
        100 * efficiency, basis);
}

} // namespace distributed
