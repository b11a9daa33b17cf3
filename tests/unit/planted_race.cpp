// SPDX-License-Identifier: Apache-2.0
// A parallel region in which two threads write the same number without order: the thread sanitizer
// must report it, or its silence about the library says nothing.
#include "common/runtime/parallel.hpp"

#include <atomic>
#include <cstdio>
#include <thread>

namespace {
struct shared {
    long number = 0;
    std::atomic<int> present {0};
};
} // namespace

int main() {
    shared s;
    const auto body = [](void *state, int) {
        shared &common = *static_cast<shared *>(state);
        // Wait for a second thread, but not for ever: there may be only one. Relaxed: no order.
        common.present.fetch_add(1, std::memory_order_relaxed);
        for (int i = 0; i < 10000 && common.present.load(std::memory_order_relaxed) < 2; ++i)
            std::this_thread::yield();
        for (int i = 0; i < 1000; ++i) common.number += 1;
    };
    for (int i = 0; i < 20; ++i) dnnl::impl::run_on_threads(4, body, &s);
    std::printf("%ld additions kept\n", s.number);
}
