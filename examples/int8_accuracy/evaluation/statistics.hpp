// SPDX-License-Identifier: Apache-2.0
// How sure a score is, and whether two scores differ.
#pragma once

#include "../report/results.hpp"

#include <vector>

namespace int8_accuracy {

/// `right` of `all` in percent, with Wilson's interval of 95 %.
score accuracy_of(int right, int all);

/// The mean of the losses of objects, with 1.96 standard errors on each side.
score mean_of(const std::vector<double> &losses);

/// McNemar's exact test: the chance that two classifiers of the same quality differ on at least as
/// uneven a pair of counts; `first_only` objects are right in the first alone, `second_only` in the
/// second alone. 1 if both are 0.
double paired_test(int first_only, int second_only);

/// The paired test of means: the chance of at least this mean difference between losses of the same
/// objects if there is none (normal approximation).
double paired_test(const std::vector<double> &first, const std::vector<double> &second);

} // namespace int8_accuracy
