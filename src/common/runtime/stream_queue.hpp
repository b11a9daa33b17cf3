// SPDX-License-Identifier: Apache-2.0
// Executions on an asynchronous thread pool of the user, in a build with the THREADPOOL runtime.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "common/runtime/parallel.hpp"

namespace dnnl::impl {

/// The executions that were submitted to one stream, in their order, whatever order the pool takes
/// its calls in. Each submission makes as many calls of the pool as the pool has threads. The first
/// call to come leads: it runs the executions one after the other. The other calls help with the
/// parallel regions of the execution that runs. Nothing waits for a call that has not begun, so one
/// thread of the pool is enough to go on.
class stream_queue : public std::enable_shared_from_this<stream_queue> {
  public:
    /// Submits an execution to `pool`, a threadpool_interop::threadpool_iface *, and returns once
    /// the pool has taken the calls.
    void submit(void *pool, std::function<void()> execution);

    /// Takes part in the work until all submitted executions have ended. Throws what the first
    /// failing execution since the last call threw.
    void finish();

    /// Runs body(state, thread) for each thread below `threads`. The leading thread calls it and
    /// shares the work with the helpers.
    void run_region(int threads, void (*body)(void *state, int thread), void *state);

    /// The number of calls of the pool that may help with a region.
    int threads() const { return threads_.load(); }

  private:
    struct region {
        int threads;
        void (*body)(void *state, int thread);
        void *state;
        int next = 0,
            running = 0; ///< shares: the first one that nobody took, and how many are under way
        first_exception failure {};
    };
    void serve();
    void lead(std::unique_lock<std::mutex> &lock);
    /// Takes shares of the region until none is left.
    void share(std::unique_lock<std::mutex> &lock, region &shared);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;
    bool is_led_ = false;
    region *open_ = nullptr; ///< the leader's region, while it has shares that nobody took
    std::atomic<int> threads_ {1};
    std::exception_ptr failure_;
};

/// The queue whose execution the calling thread leads; null elsewhere, and inside regions.
stream_queue *&led_queue();

} // namespace dnnl::impl
