// SPDX-License-Identifier: Apache-2.0
// Wilson's interval, McNemar's exact test and the paired test of means.
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace int8_accuracy {
namespace {

constexpr double z95 = 1.959963984540054; // the normal distribution has 95 % within +-z95

struct moments {
    double mean = 0, variance = 0; // of the sample, divided by n - 1
};

moments moments_of(const std::vector<double> &values) {
    moments m;
    for (double value : values) m.mean += value;
    m.mean /= double(values.size());
    for (double value : values) m.variance += (value - m.mean) * (value - m.mean);
    m.variance = values.size() > 1 ? m.variance / double(values.size() - 1) : 0;
    return m;
}

} // namespace

// Wilson (1927): the p for which the observed part is z95 standard deviations of p away.
score accuracy_of(int right, int all) {
    if (right < 0 || right > all) throw std::invalid_argument("more right answers than answers");
    if (all == 0) return {0, 0, 100};
    const double n = all, part = right / n, z2 = z95 * z95;
    const double centre = (part + z2 / (2 * n)) / (1 + z2 / n);
    const double half = z95 * std::sqrt(part * (1 - part) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    return {100 * part, right == 0 ? 0 : 100 * std::max(0., centre - half),
        right == all ? 100 : 100 * std::min(1., centre + half)};
}

score mean_of(const std::vector<double> &losses) {
    if (losses.empty()) return {};
    const moments m = moments_of(losses);
    const double half = z95 * std::sqrt(m.variance / double(losses.size()));
    return {m.mean, m.mean - half, m.mean + half};
}

// Twice the binomial distribution's tail, sum over i <= k of C(n, i) / 2^n.
double paired_test(int first_only, int second_only) {
    if (first_only < 0 || second_only < 0) throw std::invalid_argument("a count is negative");
    const double n = double(first_only) + double(second_only);
    const double k = std::min(first_only, second_only);
    double tail = 0;
    for (double i = 0; i <= k; ++i)
        tail += std::exp(
            std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) - n * std::log(2.));
    return std::min(1., 2 * tail);
}

double paired_test(const std::vector<double> &first, const std::vector<double> &second) {
    if (first.size() != second.size())
        throw std::invalid_argument("losses of different numbers of objects");
    if (first.size() < 2) return 1;
    std::vector<double> differences(first.size());
    for (std::size_t i = 0; i < first.size(); ++i) differences[i] = first[i] - second[i];
    const moments m = moments_of(differences);
    if (m.mean == 0) return 1;
    const double error = std::sqrt(m.variance / double(first.size()));
    return std::erfc(std::fabs(m.mean) / error / std::sqrt(2.)); // error 0: infinitely far, 0
}

} // namespace int8_accuracy
