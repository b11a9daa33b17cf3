// SPDX-License-Identifier: Apache-2.0
// Adds up gradients over the ranks while the backward pass goes on.
#pragma once

#include "group.hpp"

#include <chrono>
#include <span>
#include <vector>

namespace distributed {

/// What the exchange of one step took.
struct exchange_time {
    double waited = 0; // s after the backward pass: what was not hidden behind it
    double hidden = 0; // s from the first sum's start to the end of the backward pass
    std::size_t bytes = 0, last_bytes = 0; // of all gradients, and of the sum that starts last
    int sums = 0;
};

/// Gradients are gathered in buckets in the order in which the backward pass has them; a full
/// bucket starts its sum over the ranks (MPI_Iallreduce), and each further call lets MPI work on
/// the ones that are under way. All ranks must give the same sizes in the same order in each step.
class gradient_exchange {
  public:
    /// `patience`: seconds after which finish() takes another rank for lost and throws
    /// std::runtime_error; 0 waits forever.
    gradient_exchange(const group &all, std::size_t bucket_bytes, double patience)
        : all_(all), bucket_bytes_(bucket_bytes), patience_(patience) {}

    /// The gradients of one layer, whose places must not change before finish().
    void add(const std::vector<std::span<float>> &gradients);

    /// Waits for all sums and writes `factor` times each of them where its gradients came from.
    exchange_time finish(float factor);

  private:
    using clock = std::chrono::steady_clock;

    struct bucket {
        std::vector<std::span<float>> parts;
        std::vector<float> values;
        MPI_Request request = MPI_REQUEST_NULL;
        std::size_t bytes() const { return values.size() * sizeof(float); }
    };

    void start(bucket &of);
    bool test_all();

    const group &all_;
    std::size_t bucket_bytes_;
    double patience_;
    std::vector<bucket> buckets_;
    std::size_t used_ = 0; // of this step; the last one may be open
    bool open_ = false;
    clock::time_point first_start_;
};

} // namespace distributed
