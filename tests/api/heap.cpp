// SPDX-License-Identifier: Apache-2.0
// Replaces malloc and its relatives in the whole process, the library included.
#include "heap.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED

namespace heap {
bool is_watched() { return false; }
long live_blocks() { return 0; }
long requested_bytes() { return 0; }
void fail_after(long, long) {}
long stop_failing() { return 0; }
void fail_elsewhere_after(long, long) {}
long stop_failing_elsewhere() { return 0; }
} // namespace heap

#else

// The C library's own functions behind the replaced ones.
extern "C" void *__libc_malloc(std::size_t);
extern "C" void *__libc_realloc(void *, std::size_t);
extern "C" void *__libc_memalign(std::size_t, std::size_t);
extern "C" void __libc_free(void *);

namespace {
std::atomic<long> live {0}, requested {0};
thread_local long successes_left = 0, failures_left = 0, failed = 0;
/// A thread_local object of the thread whose neighbours fail; null while none do.
std::atomic<const void *> spared {nullptr};
std::atomic<long> elsewhere_successes {0}, elsewhere_failures {0}, elsewhere_failed {0};

bool must_fail_elsewhere() {
    const void *thread = spared.load();
    if (!thread || thread == &failed || elsewhere_successes.fetch_sub(1) > 0) return false;
    if (elsewhere_failures.fetch_sub(1) <= 0) return false;
    ++elsewhere_failed;
    errno = ENOMEM;
    return true;
}

bool must_fail() {
    if (must_fail_elsewhere()) return true;
    if (failures_left == 0) return false;
    if (successes_left > 0) {
        --successes_left;
        return false;
    }
    --failures_left;
    ++failed;
    errno = ENOMEM;
    return true;
}
void count_request(std::size_t bytes) {
    requested.fetch_add(static_cast<long>(bytes), std::memory_order_relaxed);
}
void *counted(void *block) {
    if (block) live.fetch_add(1, std::memory_order_relaxed);
    return block;
}
} // namespace

namespace heap {
bool is_watched() { return true; }
long live_blocks() { return live.load(std::memory_order_relaxed); }
long requested_bytes() { return requested.load(std::memory_order_relaxed); }
void fail_after(long successes, long failures) {
    failed = 0;
    successes_left = successes;
    failures_left = failures;
}
long stop_failing() {
    failures_left = 0;
    return failed;
}
void fail_elsewhere_after(long successes, long failures) {
    elsewhere_failed = 0;
    elsewhere_successes = successes;
    elsewhere_failures = failures;
    spared = &failed;
}
long stop_failing_elsewhere() {
    spared = nullptr;
    return elsewhere_failed;
}
} // namespace heap

#define REPLACED extern "C" __attribute__((visibility("default")))

REPLACED void *malloc(std::size_t bytes) {
    count_request(bytes);
    return must_fail() ? nullptr : counted(__libc_malloc(bytes));
}
REPLACED void free(void *block) {
    if (block) live.fetch_sub(1, std::memory_order_relaxed);
    __libc_free(block);
}
REPLACED void *calloc(std::size_t count, std::size_t bytes) {
    if (bytes && count > static_cast<std::size_t>(-1) / bytes) return nullptr;
    void *const block = malloc(count * bytes);
    return block ? std::memset(block, 0, count * bytes) : nullptr;
}
REPLACED void *realloc(void *block, std::size_t bytes) {
    if (must_fail()) return nullptr;
    count_request(bytes);
    void *const moved = __libc_realloc(block, bytes);
    if (!block) return counted(moved);
    if (bytes == 0) live.fetch_sub(1, std::memory_order_relaxed);
    return moved;
}
REPLACED void *memalign(std::size_t alignment, std::size_t bytes) {
    count_request(bytes);
    return must_fail() ? nullptr : counted(__libc_memalign(alignment, bytes));
}
REPLACED void *aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return memalign(alignment, bytes);
}
REPLACED int posix_memalign(void **block, std::size_t alignment, std::size_t bytes) {
    void *const made = memalign(alignment, bytes);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}

/// Pages that the library asks the system for; a failed call answers MAP_FAILED.
REPLACED void *mmap(
    void *address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    if (must_fail()) return MAP_FAILED;
    return reinterpret_cast<void *>(
        syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}

#endif
