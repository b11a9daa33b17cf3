// SPDX-License-Identifier: Apache-2.0
// What is found out about a network by running it: ranges of its values, and how far its results
// are from others.
#pragma once

#include "build.hpp"

namespace topologies {

/// The largest magnitude of each layer's result over some random inputs. `of` is f32.
std::vector<float> largest_magnitudes(
    built_network &of, const graph &g, dnnl::stream &stream, int inputs);

/// The results for some random inputs, other ones than those of calibration, one after the other.
std::vector<float> results(built_network &of, const graph &g, dnnl::stream &stream, int inputs);

bool finite(const std::vector<float> &values);

/// Power of the expected values over that of the errors, in dB; 200 where there is no error.
struct signal_over_noise {
    double whole = 200;
    double differing = 200; // only that signal by which the results differ between objects
};

/// `objects`: how many results lie one after the other.
signal_over_noise compare(
    const std::vector<float> &got, const std::vector<float> &expected, std::size_t objects);

} // namespace topologies
