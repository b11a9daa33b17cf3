// SPDX-License-Identifier: Apache-2.0
// Executions on an asynchronous thread pool of the user, in a build with the THREADPOOL runtime.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "common/runtime/parallel.hpp"

namespace dnnl::impl {

/// The executions that were submitted to one stream, in their order whatever order the pool takes
/// its calls in. Each submission makes as many calls of the pool as that has threads. The first
/// call to come leads: it carries out the executions one after the other. The others help with the
/// parallel regions of the one that runs; nothing waits for a call that has not begun, so that one
/// thread of the pool is enough to go on.
class stream_queue : public std::enable_shared_from_this<stream_queue> {
  public:
    /// Returns as soon as the pool took the calls. pool: a threadpool_interop::threadpool_iface *.
    void submit(void *pool, std::function<void()> execution);

    /// Takes part until all that was submitted is done. Throws what the first failing execution
    /// since the last call threw.
    void finish();

    /// On the leading thread: body(state, thread) for each thread below `threads`, shared with the
    /// helpers.
    void run_region(int threads, void (*body)(void *state, int thread), void *state);

    /// Calls of the pool that may help with a region.
    int threads() const { return threads_.load(); }

  private:
    struct region {
        int threads;
        void (*body)(void *state, int thread);
        void *state;
        int next = 0, running = 0; ///< shares: the first that nobody took, those under way
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
    region *open_ = nullptr; ///< of the leader, while it has shares that nobody took
    std::atomic<int> threads_ {1};
    std::exception_ptr failure_;
};

/// The queue whose execution the calling thread leads; null elsewhere, and inside regions.
stream_queue *&led_queue();

} // namespace dnnl::impl
