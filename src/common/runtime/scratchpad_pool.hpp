// SPDX-License-Identifier: Apache-2.0
// Large scratchpads, shared by all threads of the process: what is kept is bounded by what ran at
// the same time, not by how many threads ever ran something (doc/architecture.md, "Memory").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace dnnl::impl {

/// Pages of the operating system, which go back to it when they are released.
struct scratch_buffer {
    std::byte *memory = nullptr;
    std::size_t bytes = 0;
    std::uint64_t used = 0;      ///< the lease of the pool that took it last, counted from 1
    std::uint64_t well_used = 0; ///< the last one that took more than half of it
};

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

} // namespace dnnl::impl
