// SPDX-License-Identifier: Apache-2.0
#include "common/layout/memory.hpp"

#include "common/runtime/error.hpp"
#include "common/runtime/scratchpad.hpp"

using dnnl::impl::allocate_aligned;
using dnnl::impl::free_aligned;
using dnnl::impl::require;

dnnl_memory::dnnl_memory(const dnnl::impl::memory_desc &md, dnnl_engine_t engine, void *handle)
    : md_(md), engine_(engine) {
    require(!md.is_any(), "memory_desc: a memory needs a concrete layout, not `any`");
    require(!md.has_runtime(), "memory_desc: a memory cannot have run-time dimensions or strides");
    const std::size_t bytes = md.size_bytes();
    if (handle == DNNL_MEMORY_ALLOCATE) {
        if (bytes == 0) return;
        data_ = allocate_aligned(bytes);
        owned_ = true;
    } else if (!md.is_zero() && !md.has_zero_dim()) {
        data_ = handle;
    }
}

dnnl_memory::~dnnl_memory() {
    if (owned_) free_aligned(data_);
}

void dnnl_memory::set_data(void *handle) {
    if (owned_) free_aligned(data_);
    owned_ = false;
    data_ = handle;
}
