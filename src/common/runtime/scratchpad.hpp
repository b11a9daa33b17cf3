// SPDX-License-Identifier: Apache-2.0
// Temporary memory of an execution: reserved by type and count while planning, resolved at
// execution. What the library keeps of it between executions, and the pool of large scratchpads
// that all threads of the process share: doc/architecture.md, "Memory".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "common/plain_types.hpp"

namespace dnnl::impl {

/// Pages of the operating system, which go back to it when they are released.
struct scratch_buffer {
    std::byte *memory = nullptr;
    std::size_t bytes = 0;
    std::uint64_t used = 0;      ///< the lease of the pool that took it last, counted from 1
    std::uint64_t well_used = 0; ///< the last one that took more than half of it
};

/// Large scratchpads, shared by all threads of the process: what is kept is bounded by what ran at
/// the same time, not by how many threads ever ran something.
class scratchpad_pool {
  public:
    /// A buffer that this many leases did not use, or used by less than half, is released.
    static constexpr std::uint64_t leases_to_keep = 1024;

    /// The smallest idle buffer that is large enough, else a new one in the place of the largest
    /// idle one. Throws error(out_of_memory).
    scratch_buffer take(std::size_t bytes);
    void give_back(const scratch_buffer &buffer) noexcept;
    /// Releases idle buffers until no more than `buffers` are left, those given back last.
    void shrink_to(std::size_t buffers) noexcept;
    std::size_t idle_bytes();

    // Around fork(): the child gets a pool that no thread was working on.
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

/// A place in the scratchpad that holds elements of type T; exec_context::scratch() makes it a
/// pointer.
template <class T> struct scratch_slot {
    std::size_t offset = 0; ///< bytes from the scratchpad's start
};

class scratchpad_layout {
  public:
    /// Room for `count` elements, 64-byte aligned.
    template <class T> scratch_slot<T> reserve(dim_t count) {
        const scratch_slot<T> slot {bytes_};
        bytes_ += (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
        return slot;
    }
    std::size_t bytes() const { return bytes_; }

  private:
    std::size_t bytes_ = 0;
};

/// Scratchpads up to this size are the thread's own, larger ones come from the process's pool.
inline constexpr std::size_t thread_scratch_bytes = std::size_t {1} << 20;

/// Library mode: at least `bytes` of memory, 64-byte aligned, until the lease ends. Small leases
/// take no lock and allocate nothing once the thread's memory has grown; a lease within a lease
/// gets memory of its own. Throws error(out_of_memory).
class scratchpad_lease {
  public:
    explicit scratchpad_lease(std::size_t bytes);
    ~scratchpad_lease();
    scratchpad_lease(const scratchpad_lease &) = delete;
    scratchpad_lease &operator=(const scratchpad_lease &) = delete;
    std::byte *data() const { return buffer_.memory; }

  private:
    enum class source { nothing, thread, pool, heap };
    scratch_buffer buffer_; ///< of the pool; from elsewhere its address alone
    source source_ = source::nothing;
};

/// A primitive that takes `bytes` of scratchpad at each execution; a member of it. When the last
/// one that needs the pool is gone, the pool gives back all idle buffers but one.
class scratchpad_user {
  public:
    explicit scratchpad_user(std::size_t bytes);
    ~scratchpad_user();
    scratchpad_user(const scratchpad_user &) = delete;
    scratchpad_user &operator=(const scratchpad_user &) = delete;

  private:
    bool needs_pool_;
};

/// 64-byte aligned memory; throws error(out_of_memory).
void *allocate_aligned(std::size_t bytes);
void free_aligned(void *memory) noexcept;

} // namespace dnnl::impl
