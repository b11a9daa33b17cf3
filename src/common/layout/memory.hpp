// SPDX-License-Identifier: Apache-2.0
// A tensor in memory: its descriptor, its engine, and its buffers, which are the library's or the
// user's; or one value that is kept on the host.
#pragma once

#include <array>
#include <span>

#include "common/layout/memory_desc.hpp"
#include "common/runtime/engine.hpp"

struct dnnl_memory {
  public:
    /// `handles` has one entry for each buffer: a user's buffer, DNNL_MEMORY_NONE or
    /// DNNL_MEMORY_ALLOCATE (64-byte aligned, uninitialised). Buffers beyond its entries have no
    /// memory. Throws error(invalid_arguments) for layouts `any`, host scalars, run-time dims and
    /// more handles than buffers, error(out_of_memory).
    dnnl_memory(
        const dnnl::impl::memory_desc &md, dnnl_engine_t engine, std::span<void *const> handles);
    /// A host scalar with a copy of the value, without engine. Other layouts:
    /// error(invalid_arguments).
    dnnl_memory(const dnnl::impl::memory_desc &md, const void *value);
    dnnl_memory(const dnnl_memory &) = delete;
    dnnl_memory &operator=(const dnnl_memory &) = delete;

    const dnnl::impl::memory_desc &md() const { return md_; }
    dnnl_engine_t engine() const { return engine_; }
    /// The buffer at `index`; for a host scalar its value.
    void *data(int index = 0) const { return buffers_[std::size_t(index)].data(); }
    /// Releases a library-owned buffer; the new one is the user's.
    void set_data(void *handle, int index = 0) { buffers_[std::size_t(index)].refer_to(handle); }

  private:
    class buffer {
      public:
        buffer() = default;
        ~buffer() { refer_to(nullptr); }
        buffer(const buffer &) = delete;
        buffer &operator=(const buffer &) = delete;
        void *data() const { return data_; }
        void refer_to(void *users);
        void allocate(std::size_t bytes);

      private:
        void *data_ = nullptr;
        bool owned_ = false;
    };

    dnnl::impl::memory_desc md_;
    dnnl_engine_t engine_;
    alignas(8) std::array<std::byte, 8> value_ {}; ///< of a host scalar
    std::array<buffer, dnnl::impl::max_buffers> buffers_;
};

namespace dnnl::impl {
/// Zeroes the elements of a blocked layout between dims and padded_dims. A null buffer and layouts
/// without padding stay as they are.
void zero_padding(const memory_desc &md, void *data);
} // namespace dnnl::impl
