// SPDX-License-Identifier: Apache-2.0
// Parallel loops: every index once, ranges in order, no thread for little work, regions within
// regions and from several threads at the same time.
#include "common/runtime/parallel.hpp"

#include <atomic>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

using namespace dnnl::impl;

namespace {

constexpr double expensive_ns = 1e6;

/// How often parallel_for visits each index. Written without atomics: ranges must not overlap.
std::vector<int> visits(dim_t n, int thread_limit) {
    std::vector<int> count(static_cast<std::size_t>(n));
    parallel_for(n, expensive_ns, thread_limit, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) ++count[static_cast<std::size_t>(i)];
    });
    return count;
}
std::vector<int> once_each(dim_t n) { return std::vector<int>(static_cast<std::size_t>(n), 1); }

} // namespace

BOOST_AUTO_TEST_CASE(every_index_once) {
    for (dim_t n : {1, 2, 3, 7, 64, 1001})
        for (int limit : {1, 2, 3, 5, 64}) BOOST_TEST((visits(n, limit) == once_each(n)));
    BOOST_TEST(visits(0, 4).empty());
}

BOOST_AUTO_TEST_CASE(one_range_for_each_thread_below_the_limit) {
    constexpr int limit = 3;
    std::atomic<int> calls[limit] {};
    std::atomic<int> strange {0};
    parallel_for(100, expensive_ns, limit, [&](int thread, dim_t begin, dim_t end) {
        if (thread < 0 || thread >= limit || begin >= end)
            ++strange;
        else
            ++calls[thread];
    });
    BOOST_TEST(strange == 0);
    for (const auto &count : calls) BOOST_TEST(count <= 1);
}

BOOST_AUTO_TEST_CASE(little_work_stays_on_the_calling_thread) {
    std::vector<std::thread::id> ids;
    parallel_for(16, serial_below_ns / 32, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) ids.push_back(std::this_thread::get_id());
    });
    BOOST_TEST((ids == std::vector(16, std::this_thread::get_id())));
}

BOOST_AUTO_TEST_CASE(a_region_runs_every_thread_number) {
    for (int threads : {1, 2, 3, 9}) {
        std::vector<int> ran(static_cast<std::size_t>(threads));
        run_on_threads(
            threads, [](void *state, int thread) { ++static_cast<int *>(state)[thread]; },
            ran.data());
        BOOST_TEST((ran == once_each(threads)));
    }
}

BOOST_AUTO_TEST_CASE(regions_within_regions) {
    std::vector<std::vector<int>> inner(12);
    parallel_for(12, expensive_ns, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) inner[static_cast<std::size_t>(i)] = visits(50, 4);
    });
    for (const std::vector<int> &counts : inner) BOOST_TEST((counts == once_each(50)));
}

BOOST_AUTO_TEST_CASE(regions_from_several_threads) {
    std::atomic<int> wrong {0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t)
        callers.emplace_back([&] {
            for (int i = 0; i < 50; ++i) wrong += visits(200, 4) != once_each(200);
        });
    for (std::thread &caller : callers) caller.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(an_exception_of_any_thread_reaches_the_caller) {
    for (int failing = 0; failing < 4; ++failing) {
        std::atomic<int> ran {0};
        const auto body = [&](int thread, dim_t, dim_t) {
            ++ran;
            if (thread == failing) throw std::bad_alloc();
        };
        if (failing >= max_threads()) continue;
        BOOST_CHECK_THROW(parallel_for(4, expensive_ns, 4, body), std::bad_alloc);
        BOOST_TEST(ran >= 1);
        BOOST_TEST((visits(200, 4) == once_each(200))); // the runtime goes on
    }
}

BOOST_AUTO_TEST_CASE(one_of_many_exceptions_reaches_the_caller) {
    const auto body = [](int thread, dim_t, dim_t) { throw thread; };
    BOOST_CHECK_THROW(parallel_for(64, expensive_ns, body), int);
}
