// SPDX-License-Identifier: Apache-2.0
// Buckets of gradients and their sums.
#include "gradient_exchange.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace distributed {

void gradient_exchange::start(bucket &of) {
    if (&of == buckets_.data()) first_start_ = clock::now();
    require_success(MPI_Iallreduce(MPI_IN_PLACE, of.values.data(), int(of.values.size()), MPI_FLOAT,
                        MPI_SUM, all_.handle(), &of.request),
        "starting the sum of gradients");
    open_ = false;
}

/// Also what makes MPI go on with sums that are under way: it works inside of its calls alone.
bool gradient_exchange::test_all() {
    bool done = true;
    for (std::size_t b = 0; b < used_; ++b) {
        if (buckets_[b].request == MPI_REQUEST_NULL) continue;
        int completed = 0;
        require_success(MPI_Test(&buckets_[b].request, &completed, MPI_STATUS_IGNORE),
            "the sum of gradients: another rank may be lost");
        done = done && completed;
    }
    return done;
}

void gradient_exchange::add(const std::vector<std::span<float>> &gradients) {
    if (!open_) {
        if (used_ == buckets_.size()) buckets_.emplace_back();
        ++used_;
        buckets_[used_ - 1].parts.clear();
        buckets_[used_ - 1].values.clear();
        open_ = true;
    }
    bucket &last = buckets_[used_ - 1];
    for (const std::span<float> &each : gradients) {
        last.parts.push_back(each);
        last.values.insert(last.values.end(), each.begin(), each.end());
    }
    if (last.bytes() >= bucket_bytes_) start(last);
    test_all();
}

exchange_time gradient_exchange::finish(float factor) {
    exchange_time took;
    if (used_ == 0) return took;
    const clock::time_point begin = clock::now();
    if (open_) start(buckets_[used_ - 1]);
    const auto seconds = [](clock::duration d) { return std::chrono::duration<double>(d).count(); };
    took.hidden = std::max(0., seconds(begin - first_start_));
    while (!test_all())
        if (patience_ > 0 && seconds(clock::now() - begin) > patience_)
            throw std::runtime_error(fmt::format(
                "waited {:g} s for the gradients of the other ranks: one is lost or stands still",
                patience_));
    took.waited = seconds(clock::now() - begin);
    for (std::size_t b = 0; b < used_; ++b) {
        const float *from = buckets_[b].values.data();
        for (const std::span<float> &to : buckets_[b].parts) {
            std::transform(from, from + to.size(), to.begin(), [=](float x) { return x * factor; });
            from += to.size();
        }
        took.bytes += buckets_[b].bytes();
        took.last_bytes = buckets_[b].bytes();
    }
    took.sums = int(used_);
    used_ = 0;
    return took;
}

} // namespace distributed
