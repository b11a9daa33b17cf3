// SPDX-License-Identifier: Apache-2.0
// C entry points: memory objects.
#include "common/layout/memory.hpp"

#include "common/c_api/guard.hpp"
#include "common/layout/zero_padding.hpp"
#include "common/runtime/threadpool.hpp"
#include "dnnl/dnnl_ext.h"

using dnnl::impl::guarded;
using dnnl::impl::memory_desc;
using dnnl::impl::require;

dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory,
    const_dnnl_memory_desc_t memory_desc_or_null, dnnl_engine_t engine, void *handle) {
    return guarded([&] {
        require(memory, "memory: must not be NULL");
        require(engine, "engine: must not be NULL");
        const memory_desc md = memory_desc_or_null ? *memory_desc_or_null : memory_desc {};
        *memory = new dnnl_memory(md, engine, handle);
    });
}

dnnl_status_t dnnl_memory_get_memory_desc(
    const_dnnl_memory_t memory, const_dnnl_memory_desc_t *memory_desc) {
    return guarded([&] {
        require(memory, "memory: must not be NULL");
        require(memory_desc, "memory_desc: must not be NULL");
        *memory_desc = &memory->md();
    });
}

dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t *engine) {
    return guarded([&] {
        require(memory, "memory: must not be NULL");
        require(engine, "engine: must not be NULL");
        *engine = memory->engine();
    });
}

dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void **mapped_ptr) {
    return guarded([&] {
        require(memory, "memory: must not be NULL");
        require(mapped_ptr, "mapped_ptr: must not be NULL");
        *mapped_ptr = memory->data();
    });
}

// Mapping hands out the buffer itself, so there is nothing to undo.
dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void *) {
    return guarded([&] { require(memory, "memory: must not be NULL"); });
}

dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void **handle) {
    return guarded([&] {
        require(handle, "handle: must not be NULL");
        *handle = memory ? memory->data() : nullptr;
    });
}

dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle) {
    return guarded([&] {
        require(memory, "memory: must not be NULL");
        memory->set_data(handle);
    });
}

dnnl_status_t dnnl_impl_zero_pad(const_dnnl_memory_t memory, dnnl_stream_t stream) {
    return guarded([&] {
        require(memory, "memory: must not be NULL");
        require(stream, "stream: must not be NULL");
        const dnnl::impl::threadpool_scope pool(stream->threadpool);
        dnnl::impl::zero_padding(memory->md(), memory->data());
    });
}

dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory) {
    delete memory;
    return dnnl_success;
}
