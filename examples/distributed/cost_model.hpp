// SPDX-License-Identifier: Apache-2.0
// How long a step takes on more ranks than there are: arithmetic over measured numbers.
#pragma once

#include <cstddef>

namespace distributed {

/// What connects the ranks: a message of n bytes takes latency + n / bandwidth.
struct connection {
    double latency = 0;   // s
    double bandwidth = 1; // bytes/s
};

/// Seconds of a sum of n bytes over `ranks` ranks by the faster of two algorithms: a ring, 2 (R -
/// 1) messages of n / R bytes one after the other, or halving and doubling, 2 log2 R rounds that
/// move 2 n (R - 1) / R bytes (Thakur, Rabenseifner and Gropp, 2005). Adding costs nothing.
double sum_seconds(const connection &by, double bytes, int ranks);

/// The connection that explains the times of a small and a large sum over two ranks.
connection connection_of(
    double small_bytes, double small_seconds, double large_bytes, double large_seconds);

/// A step of data-parallel training as one rank measured it.
struct training_cost {
    double share_seconds = 0; // forward, backward and update of one share
    double hideable = 0;      // s of the backward pass that follow the start of the first sum
    double bytes = 0;         // of all gradients
    double last_bytes = 0;    // of the sum that nothing hides
};

/// Seconds of a step on `ranks` ranks that compute `shares` shares each: the computation, the last
/// sum, and what the others take beyond what the backward pass hides.
double training_step(const training_cost &of, const connection &by, int ranks, double shares);

/// A pass of a network that is cut along its products: `divided` seconds are shared by the ranks,
/// `repeated` ones are not, and `sums` sums of `bytes` bytes each wait for all ranks.
struct inference_cost {
    double divided = 0, repeated = 0;
    int sums = 0;
    double bytes = 0;
};
double inference_pass(const inference_cost &of, const connection &by, int ranks);

} // namespace distributed
