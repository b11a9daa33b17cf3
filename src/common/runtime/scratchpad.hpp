// SPDX-License-Identifier: Apache-2.0
// Temporary memory of an execution. It is reserved by type and count while planning and becomes
// addresses at execution. doc/architecture.md ("Memory") says what the library keeps of it between
// executions, and how all threads of the process share the pool of large scratchpads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "common/plain_types.hpp"

namespace dnnl::impl {

/// Pages of the operating system; releasing the buffer returns them.
struct scratch_buffer {
    std::byte *memory = nullptr;
    std::size_t bytes = 0;
    std::uint64_t used = 0;      ///< the lease of the pool that took it last, counted from 1
    std::uint64_t well_used = 0; ///< the last lease that took more than half of it
};

/// The pool of large scratchpads, which all threads of the process share. The memory that it keeps
/// is bounded by what ran at the same time, not by the number of threads that ever ran something.
class scratchpad_pool {
  public:
    /// A buffer is released after this many leases that used less than half of it, or nothing.
    static constexpr std::uint64_t leases_to_keep = 1024;

    /// Returns the smallest idle buffer that is large enough, else a new one, for which the largest
    /// idle one is released. Throws error(out_of_memory).
    scratch_buffer take(std::size_t bytes);
    void give_back(const scratch_buffer &buffer) noexcept;
    /// Releases idle buffers until `buffers` are left: those that were given back last.
    void shrink_to(std::size_t buffers) noexcept;
    std::size_t idle_bytes();

    // Called around fork(), so that the child gets a pool that no thread was working on.
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

  private:
    static constexpr std::size_t most = 64;

    scratch_buffer remove(std::size_t index);
    bool is_stale(std::uint64_t lease) const { return leases_ - lease > leases_to_keep; }

    std::mutex mutex_;
    std::array<scratch_buffer, most> idle_ {}; ///< the first count_, in the order of their return
    std::size_t count_ = 0;
    std::uint64_t leases_ = 0;
};

/// The pool of the process; it outlives the destructors of static objects.
scratchpad_pool &process_pool();

/// A place in the scratchpad for elements of type T; exec_context::scratch() makes it a pointer.
template <class T> struct scratch_slot {
    std::size_t offset = 0; ///< bytes from the scratchpad's start
};

class scratchpad_layout {
  public:
    /// Reserves room for `count` elements, 64-byte aligned.
    template <class T> scratch_slot<T> reserve(dim_t count) {
        const scratch_slot<T> slot {bytes_};
        bytes_ += (std::size_t(count) * sizeof(T) + 63) / 64 * 64;
        return slot;
    }
    std::size_t bytes() const { return bytes_; }

  private:
    std::size_t bytes_ = 0;
};

/// Scratchpads up to this size are the thread's own, larger ones come from the process's pool.
inline constexpr std::size_t thread_scratch_bytes = std::size_t {1} << 20;

/// A lease of scratchpad in library mode: at least `bytes` of memory, 64-byte aligned, until the
/// lease ends. Small leases take no lock, and allocate nothing once the thread's memory has grown;
/// a lease within a lease gets memory of its own. Throws error(out_of_memory).
class scratchpad_lease {
  public:
    explicit scratchpad_lease(std::size_t bytes);
    ~scratchpad_lease();
    scratchpad_lease(const scratchpad_lease &) = delete;
    scratchpad_lease &operator=(const scratchpad_lease &) = delete;
    std::byte *data() const { return buffer_.memory; }

  private:
    enum class source { nothing, thread, pool, heap };
    scratch_buffer
        buffer_; ///< a buffer of the pool; only its address where the memory is from elsewhere
    source source_ = source::nothing;
};

/// A member of each primitive that takes `bytes` of scratchpad at each execution. When the last
/// primitive that needs the pool is gone, the pool gives back all idle buffers but one.
class scratchpad_user {
  public:
    explicit scratchpad_user(std::size_t bytes);
    ~scratchpad_user();
    scratchpad_user(const scratchpad_user &) = delete;
    scratchpad_user &operator=(const scratchpad_user &) = delete;

  private:
    bool needs_pool_;
};

/// Allocates 64-byte aligned memory; throws error(out_of_memory).
void *allocate_aligned(std::size_t bytes);
void free_aligned(void *memory) noexcept;

} // namespace dnnl::impl
