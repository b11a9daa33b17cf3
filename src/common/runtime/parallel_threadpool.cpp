// SPDX-License-Identifier: Apache-2.0
// Parallel regions on the thread pool of the user, for a build with the THREADPOOL runtime.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "common/runtime/engine.hpp"
#include "common/runtime/parallel.hpp"
#include "common/runtime/stream_queue.hpp"
#include "dnnl/dnnl_threadpool_iface.hpp"

namespace dnnl::impl {

namespace {

using threadpool_interop::threadpool_iface;

thread_local int concurrency = 0; ///< 0: not set
/// True while this thread executes a primitive (threadpool_scope); the pool is its stream's.
thread_local bool executing = false;
thread_local void *current_pool = nullptr;

/// Releases its waiter when `count` shares are done.
class countdown {
  public:
    explicit countdown(int count) : left_(count) {}
    void count_down(int shares) {
        // Notified under the lock: the waiter destroys this object once it has the lock.
        const std::lock_guard lock(mutex_);
        left_ -= shares;
        if (left_ == 0) done_.notify_one();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return left_ == 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable done_;
    int left_;
};

/// A parallel region; the function for the pool holds one pointer and so allocates nothing.
struct region {
    int threads;
    void (*body)(void *state, int thread);
    void *state;
    first_exception failure {};

    /// Runs the shares of call i of n, also where the pool makes fewer calls than it was asked for.
    /// Returns the number of shares that are done.
    int run(int i, int n) noexcept {
        const threadpool_scope serial(nullptr); // for a region within this one
        int shares = 0;
        for (int thread = i; thread < threads; thread += n, ++shares)
            failure.catch_from([&] { body(state, thread); });
        return shares;
    }
};

} // namespace

threadpool_scope::threadpool_scope(void *pool)
    : outer_pool_(std::exchange(current_pool, pool)), outer_(std::exchange(executing, true)) {}

threadpool_scope::~threadpool_scope() {
    current_pool = outer_pool_;
    executing = outer_;
}

int max_concurrency() {
    if (concurrency > 0) return concurrency;
    static const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return cores;
}

void set_max_concurrency(int threads) { concurrency = threads; }

int max_threads() {
    if (const stream_queue *queue = led_queue()) return queue->threads();
    if (!executing) return max_concurrency();
    const auto *pool = static_cast<const threadpool_iface *>(current_pool);
    return pool && !pool->get_in_parallel() ? std::max(1, pool->get_num_threads()) : 1;
}

void run_on_threads(int threads, void (*body)(void *state, int thread), void *state) {
    if (stream_queue *queue = led_queue(); queue && threads > 1)
        return queue->run_region(threads, body, state);
    auto *pool = static_cast<threadpool_iface *>(current_pool);
    region whole {threads, body, state};
    if (threads <= 1 || !pool || pool->get_in_parallel()) {
        whole.run(0, 1);
    } else if (!(pool->get_flags() & threadpool_iface::ASYNCHRONOUS)) {
        pool->parallel_for(threads, [&whole](int i, int n) { whole.run(i, n); });
    } else {
        struct {
            region &whole;
            countdown left;
        } shared {whole, countdown(threads)};
        pool->parallel_for(
            threads, [&shared](int i, int n) { shared.left.count_down(shared.whole.run(i, n)); });
        shared.left.wait();
    }
    whole.failure.rethrow();
}

bool submits(const dnnl_stream &stream) {
    const auto *pool = static_cast<const threadpool_iface *>(stream.threadpool);
    return pool && (pool->get_flags() & threadpool_iface::ASYNCHRONOUS);
}

void submit(dnnl_stream &stream, std::function<void()> execution) {
    stream.queue->submit(stream.threadpool, std::move(execution));
}

void wait_for(dnnl_stream &stream) {
    if (!submits(stream)) return;
    static_cast<threadpool_iface *>(stream.threadpool)->wait();
    stream.queue->finish();
}

} // namespace dnnl::impl
