// SPDX-License-Identifier: Apache-2.0
// The grow-only arena of each executing thread.
#include "common/scratchpad.hpp"

#include <cstdlib>

#include "common/error.hpp"

namespace dnnl::impl {

namespace {
struct arena {
    void *memory = nullptr;
    std::size_t bytes = 0;
    bool in_use = false;
    ~arena() { free_aligned(memory); }
};
thread_local arena thread_arena;
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
    arena &a = thread_arena;
    if (a.in_use) {
        data_ = static_cast<std::byte *>(allocate_aligned(bytes));
        owned_ = true;
        return;
    }
    if (a.bytes < bytes) {
        free_aligned(a.memory);
        a.memory = nullptr;
        a.bytes = 0;
        a.memory = allocate_aligned(bytes);
        a.bytes = bytes;
    }
    a.in_use = true;
    data_ = static_cast<std::byte *>(a.memory);
}

scratchpad_lease::~scratchpad_lease() {
    if (!data_) return;
    if (owned_)
        free_aligned(data_);
    else
        thread_arena.in_use = false;
}

} // namespace dnnl::impl
