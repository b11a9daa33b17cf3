// SPDX-License-Identifier: Apache-2.0
// Divides loops among the threads of the chosen runtime, into one contiguous range for each.
// Results never depend on the division: where partial sums are cut follows from the shape alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "common/plain_types.hpp"

namespace dnnl::impl {

/// Threads that a parallel region started from here may use (1 inside a parallel region or a forked
/// child; no more than a thread_limit allows).
int max_threads();

/// While it exists, regions that the calling thread starts use at most `threads`; 0: no limit.
struct thread_limit {
    explicit thread_limit(int threads) : outer(std::exchange(most, threads)) {}
    ~thread_limit() { most = outer; }
    thread_limit(const thread_limit &) = delete;
    static int of(int threads) { return most > 0 ? std::min(most, threads) : threads; }

    static inline thread_local int most = 0;
    const int outer;
};

/// The number of threads that a loop over `items` may use. A plan reserves scratch for no more.
inline int threads_for(dim_t items) {
    return static_cast<int>(std::clamp<dim_t>(items, 1, max_threads()));
}

/// Runs body(thread) for thread = 0 ... threads - 1, possibly at the same time; for threads == 1 on
/// the calling thread. Where bodies throw, the first exception reaches the caller when all have
/// ended. Bodies of optimised plans allocate nothing.
void run_on_threads(int threads, void (*body)(void *state, int thread), void *state);

/// The items [begin, end) that a thread gets of n.
struct item_range {
    dim_t begin, end;
};
constexpr item_range range_of_thread(dim_t n, int threads, int thread) {
    const dim_t share = n / threads, rest = n % threads;
    const dim_t begin = thread * share + std::min<dim_t>(thread, rest);
    return {begin, begin + share + (thread < rest)};
}

/// A loop over n items of about so many nanoseconds each, and the threads that share it.
struct loop_size {
    dim_t n;
    double item_ns;
    int threads;
};

/// Work below this many nanoseconds is not worth a parallel region.
inline constexpr double serial_below_ns = 8000;

/// Splits [0, n) into one contiguous range per thread and calls body(thread, begin, end) on each:
/// scratch and pointers are bound once per range. At most `thread_limit` threads (the number that
/// scratch was reserved for). cost_per_item_ns is an estimate for one item.
template <class Body>
void parallel_for(dim_t n, double cost_per_item_ns, int thread_limit, const Body &body) {
    if (n <= 0) return;
    const double total_ns = double(n) * cost_per_item_ns;
    int threads = 1;
    if (n > 1 && total_ns >= serial_below_ns)
        threads = static_cast<int>(std::min<dim_t>({n, thread_limit, max_threads()}));
    if (threads <= 1) {
        body(0, dim_t {0}, n);
        return;
    }
    struct shared {
        loop_size size; // first, for tests that count the work of threads
        const Body &body;
    } state {{n, cost_per_item_ns, threads}, body};
    run_on_threads(
        threads,
        [](void *p, int thread) {
            const shared &s = *static_cast<const shared *>(p);
            const item_range range = range_of_thread(s.size.n, s.size.threads, thread);
            s.body(thread, range.begin, range.end);
        },
        &state);
}

template <class Body> void parallel_for(dim_t n, double cost_per_item_ns, const Body &body) {
    parallel_for(n, cost_per_item_ns, max_threads(), body);
}

/// Calls body(i) for each of n items, in parallel.
template <class Body> void parallel_for_each(dim_t n, double cost_per_item_ns, const Body &body) {
    parallel_for(n, cost_per_item_ns, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) body(i);
    });
}

/// body(i, j) for every pair, i < n0 and j < n1; for the reference implementations.
template <class Body> void for_each_parallel(dim_t n0, dim_t n1, const Body &body) {
    parallel_for_each(n0 * n1, 1000.0, [&](dim_t index) { body(index / n1, index % n1); });
}

// ---- For run_on_threads() alone ----

/// Keeps the exception of a parallel region until the caller can throw it, because no runtime lets
/// an exception leave a share. It is that of the first failing share; others are dropped.
class first_exception {
  public:
    /// Runs body(); an exception that it throws is caught here.
    template <class Body> void catch_from(const Body &body) noexcept {
        try {
            body();
        } catch (...) {
            if (!taken_.test_and_set()) kept_ = std::current_exception();
        }
    }
    /// Called by the caller of the region when every share has ended.
    void rethrow() const {
        if (kept_) std::rethrow_exception(kept_);
    }

  private:
    std::atomic_flag taken_;
    std::exception_ptr kept_;
};

} // namespace dnnl::impl
