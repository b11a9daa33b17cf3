// SPDX-License-Identifier: Apache-2.0
// What the C++ programs share: values to compute with, and the comparison that decides their
// result.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

/// Values in (-1, 1) without a pattern that a wrong stride could hide in; seeds give different
/// ones.
inline std::vector<float> values(std::size_t count, int seed) {
    std::vector<float> result(count);
    for (std::size_t i = 0; i < count; ++i)
        result[i] = std::sin(1.7f * static_cast<float>(i + 1) + static_cast<float>(seed));
    return result;
}

/// Whether every element of `got` is within `tolerance` of the expected one; prints the first that
/// is not. Expected values that are all zero prove nothing, so they count as a failure.
template <typename T>
bool agree(const char *what, const std::vector<T> &got, const std::vector<double> &expected,
    double tolerance) {
    bool any = false;
    if (got.size() != expected.size()) return std::printf("%s: another size\n", what), false;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double value = static_cast<double>(got[i]);
        any = any || expected[i] != 0;
        if (std::fabs(value - expected[i]) <= tolerance) continue;
        std::printf("%s[%zu] is %g, expected %g\n", what, i, value, expected[i]);
        return false;
    }
    if (!any) std::printf("%s: nothing but zeros is expected\n", what);
    return any;
}
