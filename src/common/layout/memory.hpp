// SPDX-License-Identifier: Apache-2.0
// A tensor in memory: descriptor, engine and a buffer, the library's or the user's.
#pragma once

#include "common/layout/memory_desc.hpp"
#include "common/runtime/engine.hpp"

struct dnnl_memory {
  public:
    /// handle: a user's buffer, DNNL_MEMORY_NONE or DNNL_MEMORY_ALLOCATE (64-byte aligned,
    /// uninitialised). Throws error(invalid_arguments) for layouts `any` and runtime dims,
    /// error(out_of_memory).
    dnnl_memory(const dnnl::impl::memory_desc &md, dnnl_engine_t engine, void *handle);
    ~dnnl_memory();
    dnnl_memory(const dnnl_memory &) = delete;
    dnnl_memory &operator=(const dnnl_memory &) = delete;

    const dnnl::impl::memory_desc &md() const { return md_; }
    dnnl_engine_t engine() const { return engine_; }
    void *data() const { return data_; }
    /// Releases a library-owned buffer; the new one is the user's.
    void set_data(void *handle);

  private:
    dnnl::impl::memory_desc md_;
    dnnl_engine_t engine_;
    void *data_ = nullptr;
    bool owned_ = false;
};

namespace dnnl::impl {
/// Zeroes the elements of a blocked layout between dims and padded_dims. A null buffer and layouts
/// without padding stay as they are.
void zero_padding(const memory_desc &md, void *data);
} // namespace dnnl::impl
