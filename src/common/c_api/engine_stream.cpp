// SPDX-License-Identifier: Apache-2.0
// C entry points: engines and streams.
#include "common/c_api/guard.hpp"
#include "common/runtime/engine.hpp"
#include "dnnl/dnnl_common.h"

using dnnl::impl::guarded;
using dnnl::impl::require;
using dnnl::impl::require_implemented;

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind) { return kind == dnnl_cpu ? 1 : 0; }

dnnl_status_t dnnl_engine_create(dnnl_engine_t *out, dnnl_engine_kind_t kind, size_t index) {
    return guarded([&] {
        require(out, "engine: must not be NULL");
        require(kind == dnnl_cpu, "kind: this library has CPU engines only");
        require(index < dnnl_engine_get_count(kind), "index: there is one CPU engine, index 0");
        *out = new dnnl_engine {kind};
    });
}

dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind) {
    return guarded([&] {
        require(engine, "engine: must not be NULL");
        require(kind, "kind: must not be NULL");
        *kind = engine->kind;
    });
}

dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine) {
    delete engine;
    return dnnl_success;
}

dnnl_status_t dnnl_stream_create(dnnl_stream_t *out, dnnl_engine_t engine, unsigned flags) {
    constexpr unsigned profiling = 4; // declared by experimental builds only
    constexpr unsigned orders = dnnl_stream_in_order | dnnl_stream_out_of_order;
    return guarded([&] {
        require(out, "stream: must not be NULL");
        require(engine, "engine: must not be NULL");
        require((flags & ~(orders | profiling)) == 0, "flags: undefined bits");
        require(
            (flags & orders) != orders, "flags: in order and out of order contradict each other");
        require_implemented(!(flags & profiling), "flags: a CPU stream has no profiling");
        *out = new dnnl_stream {engine, flags, nullptr};
    });
}

dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine) {
    return guarded([&] {
        require(stream, "stream: must not be NULL");
        require(engine, "engine: must not be NULL");
        *engine = stream->engine;
    });
}

// Execution is synchronous: nothing is left to wait for.
dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream) {
    return guarded([&] { require(stream, "stream: must not be NULL"); });
}

dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream) {
    delete stream;
    return dnnl_success;
}
