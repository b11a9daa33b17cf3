// SPDX-License-Identifier: Apache-2.0
// C entry points: engines, streams and memory objects.
#include "common/layout/memory.hpp"

#include <cstring>
#include <span>

#include "common/c_api/guard.hpp"
#include "dnnl/dnnl_ext.h"

// ---- Engines and streams ----

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind) { return kind == dnnl_cpu ? 1 : 0; }

dnnl_status_t dnnl_engine_create(dnnl_engine_t *out, dnnl_engine_kind_t kind, size_t index) {
    return guarded({{out, "engine"}}, [&] {
        require(kind == dnnl_cpu, "kind: this library has CPU engines only");
        require(index < dnnl_engine_get_count(kind), "index: there is one CPU engine, index 0");
        *out = new dnnl_engine {kind};
    });
}

dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind) {
    return guarded({{engine, "engine"}, {kind, "kind"}}, [&] { *kind = engine->kind; });
}

dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine) { return destroyed(engine); }

dnnl_status_t dnnl_stream_create(dnnl_stream_t *out, dnnl_engine_t engine, unsigned flags) {
    constexpr unsigned profiling = 4; // declared by experimental builds only
    constexpr unsigned orders = dnnl_stream_in_order | dnnl_stream_out_of_order;
    return guarded({{out, "stream"}, {engine, "engine"}}, [&] {
        require((flags & ~(orders | profiling)) == 0, "flags: undefined bits");
        require(
            (flags & orders) != orders, "flags: in order and out of order contradict each other");
        require_implemented(!(flags & profiling), "flags: a CPU stream has no profiling");
        *out = new dnnl_stream {engine, flags, nullptr};
    });
}

dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine) {
    return guarded({{stream, "stream"}, {engine, "engine"}}, [&] { *engine = stream->engine; });
}

// Execution is synchronous: nothing is left to wait for.
dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream) {
    return guarded({{stream, "stream"}}, [&] { impl::wait_for(*stream); });
}

dnnl_status_t dnnl_ext_stream_set_threads(dnnl_stream_t stream, int threads) {
    return guarded({{stream, "stream"}}, [&] {
        require_implemented(DNNL_CPU_THREADING_RUNTIME != DNNL_RUNTIME_THREADPOOL,
            "stream: its threads are those of its thread pool");
        require(threads >= 0, "threads: must not be negative");
        stream->threads = threads;
    });
}

dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream) { return destroyed(stream); }

// ---- Memory ----

namespace {

/// Refuses an index of a buffer that the memory does not have: throws error(invalid_arguments).
void require_buffer(const dnnl_memory &memory, int index) {
    require(index >= 0 && index < memory.md().buffer_count(),
        "index: the memory has no buffer with this number");
}

/// The same, and refuses host scalars.
void require_handle(const dnnl_memory &memory, int index) {
    require(!memory.md().is_host_scalar(), "memory: the value of a host scalar has no handle");
    require_buffer(memory, index);
}

} // namespace

dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory,
    const_dnnl_memory_desc_t memory_desc_or_null, dnnl_engine_t engine, void *handle) {
    return dnnl_memory_create_v2(memory, memory_desc_or_null, engine, 1, &handle);
}

dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t *memory,
    const_dnnl_memory_desc_t memory_desc_or_null, dnnl_engine_t engine, int nhandles,
    void **handles) {
    return guarded({{memory, "memory"}, {engine, "engine"}, {handles, "handles"}}, [&] {
        require(nhandles > 0, "nhandles: must be positive");
        const memory_desc md = memory_desc_or_null ? *memory_desc_or_null : memory_desc {};
        const std::span<void *const> buffers(handles, static_cast<size_t>(nhandles));
        *memory = new dnnl_memory(md, engine, buffers);
    });
}

dnnl_status_t dnnl_memory_create_host_scalar(
    dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc, void *scalar_ptr) {
    return guarded({{memory, "memory"}, {memory_desc, "memory_desc"}, {scalar_ptr, "scalar_ptr"}},
        [&] { *memory = new dnnl_memory(*memory_desc, scalar_ptr); });
}

dnnl_status_t dnnl_memory_get_memory_desc(
    const_dnnl_memory_t memory, const_dnnl_memory_desc_t *memory_desc) {
    return guarded(
        {{memory, "memory"}, {memory_desc, "memory_desc"}}, [&] { *memory_desc = &memory->md(); });
}

dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t *engine) {
    return guarded({{memory, "memory"}, {engine, "engine"}}, [&] { *engine = memory->engine(); });
}

dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void **mapped_ptr) {
    return dnnl_memory_map_data_v2(memory, mapped_ptr, 0);
}

dnnl_status_t dnnl_memory_map_data_v2(const_dnnl_memory_t memory, void **mapped_ptr, int index) {
    return guarded({{memory, "memory"}, {mapped_ptr, "mapped_ptr"}}, [&] {
        require_buffer(*memory, index);
        *mapped_ptr = memory->data(index);
    });
}

// Mapping hands out the buffer itself, so there is nothing to undo.
dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void *) {
    return guarded({{memory, "memory"}}, [] {});
}

dnnl_status_t dnnl_memory_unmap_data_v2(const_dnnl_memory_t memory, void *, int index) {
    return guarded({{memory, "memory"}}, [&] { require_buffer(*memory, index); });
}

dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void **handle) {
    return dnnl_memory_get_data_handle_v2(memory, handle, 0);
}

dnnl_status_t dnnl_memory_get_data_handle_v2(const_dnnl_memory_t memory, void **handle, int index) {
    return guarded({{handle, "handle"}}, [&] {
        if (memory) require_handle(*memory, index);
        *handle = memory ? memory->data(index) : nullptr;
    });
}

dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle) {
    return dnnl_memory_set_data_handle_v2(memory, handle, 0);
}

dnnl_status_t dnnl_memory_set_data_handle_v2(dnnl_memory_t memory, void *handle, int index) {
    return guarded({{memory, "memory"}}, [&] {
        require_handle(*memory, index);
        memory->set_data(handle, index);
    });
}

dnnl_status_t dnnl_memory_get_host_scalar_value(const_dnnl_memory_t memory, void *value) {
    return guarded({{memory, "memory"}, {value, "value"}}, [&] {
        require(memory->md().is_host_scalar(), "memory: it is no host scalar");
        std::memcpy(value, memory->data(), memory->md().size_bytes());
    });
}

dnnl_status_t dnnl_memory_set_host_scalar_value(dnnl_memory_t memory, const void *value) {
    return guarded({{memory, "memory"}, {value, "value"}}, [&] {
        require(memory->md().is_host_scalar(), "memory: it is no host scalar");
        std::memcpy(memory->data(), value, memory->md().size_bytes());
    });
}

dnnl_status_t dnnl_impl_zero_pad(const_dnnl_memory_t memory, dnnl_stream_t stream) {
    return guarded({{memory, "memory"}, {stream, "stream"}}, [&] {
        const impl::threadpool_scope pool(stream->threadpool);
        impl::zero_padding(memory->md(), memory->data());
    });
}

dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory) { return destroyed(memory); }
