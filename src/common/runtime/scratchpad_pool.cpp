// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/scratchpad_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <pthread.h>
#include <sys/mman.h>
#include <type_traits>

#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {

constexpr std::size_t page_bytes = 4096;

/// Not of the heap: what malloc() keeps for itself of freed memory has no bound of ours.
scratch_buffer map_pages(std::size_t bytes) {
    if (bytes > PTRDIFF_MAX - page_bytes)
        throw error(dnnl_out_of_memory, "cannot allocate that much memory");
    const std::size_t whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
    void *memory = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw error(dnnl_out_of_memory, "memory allocation failed");
    return {static_cast<std::byte *>(memory), whole};
}

void unmap_pages(const scratch_buffer &buffer) noexcept {
    if (buffer.memory) munmap(buffer.memory, buffer.bytes);
}

constinit scratchpad_pool pool_of_process;
static_assert(std::is_trivially_destructible_v<scratchpad_pool>);

[[maybe_unused]] const int watches_forks = pthread_atfork([] { pool_of_process.lock(); },
    [] { pool_of_process.unlock(); }, [] { pool_of_process.unlock(); });

} // namespace

scratchpad_pool &process_pool() { return pool_of_process; }

scratch_buffer scratchpad_pool::remove(std::size_t index) {
    const scratch_buffer removed = idle_[index];
    std::move(idle_.begin() + index + 1, idle_.begin() + count_, idle_.begin() + index);
    --count_;
    return removed;
}

scratch_buffer scratchpad_pool::take(std::size_t bytes) {
    scratch_buffer taken, replaced;
    std::uint64_t lease = 0;
    {
        const std::lock_guard guard(mutex_);
        lease = ++leases_;
        std::size_t best = count_, largest = count_;
        for (std::size_t i = 0; i < count_; ++i) {
            const std::size_t held = idle_[i].bytes;
            if (held >= bytes && (best == count_ || held <= idle_[best].bytes)) best = i;
            if (largest == count_ || held > idle_[largest].bytes) largest = i;
        }
        if (best < count_)
            taken = remove(best);
        else if (largest < count_)
            replaced = remove(largest);
    }
    if (!taken.memory) {
        unmap_pages(replaced);
        taken = map_pages(bytes);
    }
    taken.used = lease;
    if (bytes > taken.bytes / 2) taken.well_used = lease;
    return taken;
}

void scratchpad_pool::give_back(const scratch_buffer &buffer) noexcept {
    scratch_buffer oversized, unused;
    {
        const std::lock_guard guard(mutex_);
        if (is_stale(buffer.well_used) || count_ == most)
            oversized = buffer;
        else
            idle_[count_++] = buffer;
        if (count_ > 0 && is_stale(idle_[0].used)) unused = remove(0);
    }
    unmap_pages(oversized);
    unmap_pages(unused);
}

void scratchpad_pool::shrink_to(std::size_t buffers) noexcept {
    for (bool more = true; more;) {
        scratch_buffer released;
        {
            const std::lock_guard guard(mutex_);
            more = count_ > buffers;
            if (more) released = remove(0);
        }
        unmap_pages(released);
    }
}

std::size_t scratchpad_pool::idle_bytes() {
    const std::lock_guard guard(mutex_);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count_; ++i) bytes += idle_[i].bytes;
    return bytes;
}

} // namespace dnnl::impl
