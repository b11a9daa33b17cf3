// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/scratchpad.hpp"

#include <atomic>
#include <cstdlib>

#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {

/// What a thread keeps for its small scratchpads. It has no destructor: destructors of static
/// objects may execute on a thread whose thread_local objects are gone.
struct thread_memory {
    std::byte *memory;
    std::size_t bytes;
    bool in_use, ended;
};
constinit thread_local thread_memory own {};

/// Gives it back when the thread ends.
struct end_of_thread {
    bool watched = false;
    ~end_of_thread() {
        own.ended = true;
        if (own.in_use) return; // the process ends within an execution
        free_aligned(own.memory);
        own.memory = nullptr;
        own.bytes = 0;
    }
};
thread_local end_of_thread at_end;

void grow_own(std::size_t bytes) {
    at_end.watched = true; // constructs it, so that it is destroyed
    free_aligned(own.memory);
    own.memory = nullptr;
    own.bytes = 0;
    own.memory = static_cast<std::byte *>(allocate_aligned(bytes));
    own.bytes = bytes;
}

/// Primitives whose scratchpads come from the pool.
std::atomic<long> pool_users {0};

} // namespace

void *allocate_aligned(std::size_t bytes) {
    // Whole pages from 2 MB on let the kernel back the memory with huge pages.
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
