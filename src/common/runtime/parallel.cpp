// SPDX-License-Identifier: Apache-2.0
// Parallel regions on OpenMP, on oneTBB or on the calling thread alone, as the build chose;
// parallel_threadpool.cpp takes its place in a THREADPOOL build.
#include "common/runtime/parallel.hpp"

#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/stat.h>

#include "dnnl/dnnl_config.h"

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
#include <omp.h>
#elif DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_TBB
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif
#ifdef DNNL_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace dnnl::impl {

namespace {

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP || DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_TBB

/// True once a region has run: from then on the runtime has threads.
std::atomic<bool> threads_started {false};
/// Set in a child process whose parent had threads when it forked. The runtime counts on these
/// threads, of which none exists in the child.
std::atomic<bool> threads_lost {false};
std::atomic<bool> forked_with_threads {false}; ///< found out before the fork, kept by the child

/// True when the process has threads other than the calling one. They may be the runtime's also
/// where no region of this library ran: the program shares the runtime.
bool has_other_threads() {
    struct stat tasks;
    constexpr nlink_t directory_alone = 2; // . and ..; one more for each thread
    return stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink > directory_alone + 1;
}

/// Registered at loading, because programs may run regions of their own before the first one here.
[[maybe_unused]] const int watches_forks = pthread_atfork(
    [] {
        forked_with_threads =
            threads_started.load(std::memory_order_relaxed) || has_other_threads();
    },
    nullptr,
    [] {
        if (forked_with_threads) threads_lost = true;
    });

// The thread sanitizer cannot see how a runtime hands work from thread to thread. It is told
// instead: what came before hand_over(place) on one thread happens before what follows
// take_over(place) on another. This file itself, with the templates of the runtimes, is compiled
// without the sanitizer.
void hand_over([[maybe_unused]] void *place) {
#ifdef DNNL_THREAD_SANITIZER
    __tsan_release(place);
#endif
}
void take_over([[maybe_unused]] void *place) {
#ifdef DNNL_THREAD_SANITIZER
    __tsan_acquire(place);
#endif
}

/// A parallel region. It lies on the stack of its caller.
struct region {
    void (*body)(void *state, int thread);
    void *state;
    first_exception failure {};

    /// Runs one share, on any thread.
    void run(int thread) noexcept {
        take_over(this);
        failure.catch_from([&] { body(state, thread); });
        hand_over(this);
    }
};

#endif

} // namespace

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP

namespace {

/// Tries whether `count` threads that live at the same time can be created.
bool can_start(int count) {
    std::mutex all_started; // held until the last one was asked for
    const auto wait = [](void *mutex) -> void * {
        const std::lock_guard lock(*static_cast<std::mutex *>(mutex));
        return nullptr;
    };
    const std::unique_ptr<pthread_t[]> threads(new (std::nothrow) pthread_t[count]);
    if (!threads) return false;
    all_started.lock();
    int started = 0;
    while (started < count && pthread_create(&threads[started], nullptr, wait, &all_started) == 0)
        ++started;
    all_started.unlock();
    for (int i = 0; i < started; ++i) pthread_join(threads[i], nullptr);
    return started == count;
}

/// True where the runtime can start its threads. It ends the process when it cannot, so this is
/// tried once, before the first region; where it fails, all work stays on the calling threads.
bool threads_can_start(int threads) {
    static const bool answer = can_start(threads - 1);
    return answer;
}

} // namespace

int max_threads() {
    if (threads_lost.load(std::memory_order_relaxed) || omp_in_parallel()) return 1;
    return thread_limit::of(omp_get_max_threads());
}

void run_on_threads(int threads, void (*body)(void *state, int thread), void *state) {
    if (threads <= 1) return body(state, 0);
    if (!threads_can_start(threads)) {
        for (int thread = 0; thread < threads; ++thread) body(state, thread);
        return;
    }
    threads_started.store(true, std::memory_order_relaxed);
    region whole {body, state};
    hand_over(&whole);
#pragma omp parallel num_threads(threads)
    {
        // The runtime may give fewer threads than asked for: each then takes several shares.
        const int given = omp_get_num_threads();
        for (int thread = omp_get_thread_num(); thread < threads; thread += given)
            whole.run(thread);
    }
    take_over(&whole);
    whole.failure.rethrow();
}

#elif DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_TBB

int max_threads() {
    if (threads_lost.load(std::memory_order_relaxed)) return 1;
    return thread_limit::of(tbb::this_task_arena::max_concurrency());
}

void run_on_threads(int threads, void (*body)(void *state, int thread), void *state) {
    if (threads <= 1) return body(state, 0);
    threads_started.store(true, std::memory_order_relaxed);
    region whole {body, state};
    hand_over(&whole);
    tbb::parallel_for(
        0, threads, [&whole](int thread) { whole.run(thread); }, tbb::static_partitioner());
    take_over(&whole);
    whole.failure.rethrow();
}

#else

int max_threads() { return 1; }

void run_on_threads(int threads, void (*body)(void *state, int thread), void *state) {
    for (int thread = 0; thread < threads; ++thread) body(state, thread);
}

#endif

} // namespace dnnl::impl
