// SPDX-License-Identifier: Apache-2.0
// Memory of executions: what the pool of large scratchpads keeps and releases, and that small ones
// take the thread's own memory again and again.
#include "common/runtime/scratchpad.hpp"

#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "api/heap.hpp"

using namespace dnnl::impl;

namespace {
constexpr std::size_t mb = std::size_t {1} << 20;

/// `count` buffers of the pool that were in use at the same time.
void use_together(scratchpad_pool &pool, int count, std::size_t bytes) {
    std::vector<scratch_buffer> taken;
    for (int i = 0; i < count; ++i) taken.push_back(pool.take(bytes));
    for (const scratch_buffer &buffer : taken) pool.give_back(buffer);
}
} // namespace

BOOST_AUTO_TEST_CASE(a_larger_buffer_takes_the_place_of_an_idle_one) {
    scratchpad_pool pool;
    for (const std::size_t size : {2 * mb, 3 * mb, 8 * mb, 5 * mb}) use_together(pool, 1, size);
    BOOST_TEST(pool.idle_bytes() == 8 * mb);
    pool.shrink_to(0);
    BOOST_TEST(pool.idle_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(the_smallest_buffer_that_suffices_is_taken) {
    scratchpad_pool pool;
    const scratch_buffer small = pool.take(2 * mb), large = pool.take(8 * mb);
    pool.give_back(small);
    pool.give_back(large);
    BOOST_TEST(pool.take(mb).memory == small.memory);
    BOOST_TEST(pool.take(mb).memory == large.memory);
    pool.give_back(small);
    pool.give_back(large);
    pool.shrink_to(1);
    BOOST_TEST(pool.idle_bytes() == 8 * mb); // the last one
    pool.shrink_to(0);
}

BOOST_AUTO_TEST_CASE(buffers_of_a_rush_are_released_when_it_is_over) {
    scratchpad_pool pool;
    use_together(pool, 8, 2 * mb);
    BOOST_TEST(pool.idle_bytes() == 16 * mb);
    for (std::uint64_t i = 0; i < scratchpad_pool::leases_to_keep + 8; ++i)
        use_together(pool, 1, 2 * mb);
    BOOST_TEST(pool.idle_bytes() == 2 * mb);
    pool.shrink_to(0);
}

BOOST_AUTO_TEST_CASE(a_buffer_that_became_too_large_is_released) {
    scratchpad_pool pool;
    use_together(pool, 1, 64 * mb);
    for (std::uint64_t i = 0; i < scratchpad_pool::leases_to_keep + 2; ++i)
        use_together(pool, 1, 2 * mb);
    BOOST_TEST(pool.idle_bytes() == 2 * mb);
    pool.shrink_to(0);
}

BOOST_AUTO_TEST_CASE(small_leases_take_the_memory_of_the_thread) {
    const std::byte *first = scratchpad_lease(thread_scratch_bytes).data();
    const scratchpad_lease again(64);
    BOOST_TEST(again.data() == first);
    const scratchpad_lease within(64); // of a lease
    BOOST_TEST(within.data() != first);
    BOOST_TEST(process_pool().idle_bytes() == 0u);
    BOOST_TEST(scratchpad_lease(0).data() == nullptr);
}

BOOST_AUTO_TEST_CASE(a_thread_gives_its_memory_back_when_it_ends) {
    std::thread([] {}).join(); // what the C library keeps of a thread
    const long before = heap::live_blocks();
    for (int i = 0; i < 8; ++i)
        std::thread([] { const scratchpad_lease small(thread_scratch_bytes / 2); }).join();
    BOOST_TEST(heap::live_blocks() == before);
}

BOOST_AUTO_TEST_CASE(small_leases_allocate_nothing_again) {
    { const scratchpad_lease first(thread_scratch_bytes / 2); }
    heap::fail_after(0, 1);
    { const scratchpad_lease again(thread_scratch_bytes / 2); }
    BOOST_TEST(heap::stop_failing() == 0);
}

BOOST_AUTO_TEST_CASE(threads_share_large_buffers) {
    for (int i = 0; i < 8; ++i) std::thread([] { const scratchpad_lease large(4 * mb); }).join();
    BOOST_TEST(process_pool().idle_bytes() == 4 * mb);
    {
        const scratchpad_user small(mb), one(2 * mb), other(2 * mb);
        use_together(process_pool(), 3, 4 * mb);
    }
    BOOST_TEST(process_pool().idle_bytes() == 4 * mb); // one is kept when the last user is gone
}
