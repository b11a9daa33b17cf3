// SPDX-License-Identifier: Apache-2.0
// Temporary memory of an execution: reserved by type and count while planning, resolved at
// execution.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/plain_types.hpp"

namespace dnnl::impl {

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

/// Library mode: memory of the calling thread, at least `bytes`, 64-byte aligned, grown when needed
/// and released with the thread. Nested use (an execution that executes another primitive) gets
/// memory of its own: a lease holds it until its end.
class scratchpad_lease {
  public:
    explicit scratchpad_lease(std::size_t bytes);
    ~scratchpad_lease();
    scratchpad_lease(const scratchpad_lease &) = delete;
    scratchpad_lease &operator=(const scratchpad_lease &) = delete;
    std::byte *data() const { return data_; }

  private:
    std::byte *data_ = nullptr;
    bool owned_ = false; ///< allocated for this lease alone because the thread's arena was in use
};

/// 64-byte aligned memory; throws error(out_of_memory).
void *allocate_aligned(std::size_t bytes);
void free_aligned(void *memory) noexcept;

} // namespace dnnl::impl
