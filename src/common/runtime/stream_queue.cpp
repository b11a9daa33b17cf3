// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/stream_queue.hpp"

#include <algorithm>
#include <utility>

#include "common/runtime/engine.hpp"
#include "dnnl/dnnl_threadpool_iface.hpp"

namespace dnnl::impl {

stream_queue *&led_queue() {
    thread_local stream_queue *led = nullptr;
    return led;
}

void stream_queue::submit(void *pool, std::function<void()> execution) {
    auto *threads = static_cast<threadpool_interop::threadpool_iface *>(pool);
    const int calls = std::max(1, threads->get_num_threads());
    {
        const std::lock_guard lock(mutex_);
        threads_ = calls;
        waiting_.push_back(std::move(execution));
    }
    threads->parallel_for(calls, [queue = shared_from_this()](int, int) { queue->serve(); });
}

void stream_queue::finish() {
    serve();
    const std::lock_guard lock(mutex_);
    if (const std::exception_ptr failure = std::exchange(failure_, nullptr))
        std::rethrow_exception(failure);
}

void stream_queue::serve() {
    std::unique_lock lock(mutex_);
    while (is_led_ || !waiting_.empty()) {
        if (!is_led_)
            lead(lock);
        else if (open_)
            share(lock, *open_);
        else
            changed_.wait(lock);
    }
}

void stream_queue::lead(std::unique_lock<std::mutex> &lock) {
    const std::function<void()> execution = std::move(waiting_.front());
    waiting_.pop_front();
    is_led_ = true;
    lock.unlock();
    first_exception failure;
    stream_queue *const outer = std::exchange(led_queue(), this);
    failure.catch_from(execution);
    led_queue() = outer;
    lock.lock();
    try {
        failure.rethrow();
    } catch (...) {
        if (!failure_) failure_ = std::current_exception();
    }
    is_led_ = false;
    changed_.notify_all();
}

void stream_queue::share(std::unique_lock<std::mutex> &lock, region &shared) {
    ++shared.running;
    while (shared.next < shared.threads) {
        const int thread = shared.next++;
        if (shared.next == shared.threads) open_ = nullptr;
        lock.unlock();
        {
            const threadpool_scope serial(nullptr); // for a region within this one
            stream_queue *const outer = std::exchange(led_queue(), nullptr);
            shared.failure.catch_from([&] { shared.body(shared.state, thread); });
            led_queue() = outer;
        }
        lock.lock();
    }
    --shared.running;
    if (shared.running == 0) changed_.notify_all();
}

void stream_queue::run_region(int threads, void (*body)(void *state, int thread), void *state) {
    region shared {threads, body, state};
    {
        std::unique_lock lock(mutex_);
        open_ = &shared;
        changed_.notify_all();
        share(lock, shared);
        changed_.wait(lock, [&] { return shared.running == 0; });
    }
    shared.failure.rethrow();
}

} // namespace dnnl::impl
