// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/scratchpad.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>
#include <type_traits>

#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {

constexpr std::size_t page_bytes = 4096;

/// Pages do not come from the heap, because malloc() keeps freed memory for itself and this library
/// could not bound how much.
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

/// The memory that a thread keeps for its small scratchpads. It has no destructor: destructors of
/// static objects may execute primitives on a thread whose thread_local objects are gone.
struct thread_memory {
    std::byte *memory;
    std::size_t bytes;
    bool in_use, ended;
};
constinit thread_local thread_memory own {};

/// Gives the memory back when the thread ends.
struct end_of_thread {
    bool watched = false;
    ~end_of_thread() {
        own.ended = true;
        if (own.in_use) return; // the process ends within an execution
        release();
    }
    static void release() {
        free_aligned(own.memory);
        own.memory = nullptr;
        own.bytes = 0;
    }
};
thread_local end_of_thread at_end;

void grow_own(std::size_t bytes) {
    at_end.watched = true; // constructs it, so that it is destroyed
    end_of_thread::release();
    own.memory = static_cast<std::byte *>(allocate_aligned(bytes));
    own.bytes = bytes;
}

/// The number of primitives whose scratchpads come from the pool.
std::atomic<long> pool_users {0};

} // namespace

// ---- The pool of the process ----

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

// ---- Leases ----

void *allocate_aligned(std::size_t bytes) {
    // Buffers from 2 MiB on are aligned so that the kernel can back them with huge pages.
    const std::size_t alignment = bytes >= (std::size_t {2} << 20) ? 4096 : 64;
    if (bytes > PTRDIFF_MAX - alignment)
        throw error(dnnl_out_of_memory, "cannot allocate that much memory");
    void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!memory && bytes) throw error(dnnl_out_of_memory, "memory allocation failed");
    return memory;
}

void free_aligned(void *memory) noexcept { std::free(memory); }

scratchpad_lease::scratchpad_lease(std::size_t bytes) {
    if (bytes == 0) return;
    if (bytes > thread_scratch_bytes) {
        buffer_ = process_pool().take(bytes);
        source_ = source::pool;
    } else if (own.in_use || own.ended) {
        buffer_.memory = static_cast<std::byte *>(allocate_aligned(bytes));
        source_ = source::heap;
    } else {
        if (own.bytes < bytes) grow_own(bytes);
        buffer_.memory = own.memory;
        own.in_use = true;
        source_ = source::thread;
    }
}

scratchpad_lease::~scratchpad_lease() {
    switch (source_) {
    case source::nothing: break;
    case source::thread: own.in_use = false; break;
    case source::pool: process_pool().give_back(buffer_); break;
    case source::heap: free_aligned(buffer_.memory); break;
    }
}

scratchpad_user::scratchpad_user(std::size_t bytes) : needs_pool_(bytes > thread_scratch_bytes) {
    if (needs_pool_) pool_users.fetch_add(1, std::memory_order_relaxed);
}

scratchpad_user::~scratchpad_user() {
    if (needs_pool_ && pool_users.fetch_sub(1, std::memory_order_acq_rel) == 1)
        process_pool().shrink_to(1);
}

} // namespace dnnl::impl
