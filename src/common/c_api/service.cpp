// SPDX-License-Identifier: Apache-2.0
// C entry points: version, verbose, defaults of the process, caches, instruction sets, profiling.
#define DNNL_EXPERIMENTAL_PROFILING // declares the two profiling functions
#include "common/c_api/guard.hpp"
#include "common/plan/primitive.hpp"
#include "common/runtime/isa.hpp"
#include "common/runtime/settings.hpp"
#include "dnnl/dnnl.h"
#include "dnnl/dnnl_ext.h"
#include "dnnl/dnnl_version_hash.h"

// ---- Version, verbose, reasons ----

const dnnl_version_t *dnnl_version(void) {
    static const dnnl_version_t version {DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH,
        DNNL_VERSION_HASH, DNNL_CPU_RUNTIME, DNNL_GPU_RUNTIME};
    return &version;
}

dnnl_status_t dnnl_set_verbose(int level) {
    return guarded([&] {
        require(level >= 0 && level <= 2, "level: must be 0, 1 or 2");
        require_implemented(impl::has_verbose, "level: built without verbose lines");
        impl::verbose::set_level(level);
    });
}

const char *dnnl_ext_last_error(void) { return impl::last_error(); }

dnnl_status_t dnnl_ext_release_scratchpads(void) {
    impl::process_pool().shrink_to(0);
    return dnnl_success;
}

// ---- Defaults of the process ----

dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode) {
    return guarded({{mode, "mode"}}, [&] { *mode = impl::default_fpmath_mode(); });
}

dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode) {
    return guarded([&] {
        require(mode >= dnnl_fpmath_mode_strict && mode <= dnnl_fpmath_mode_tf32,
            "mode: not a math mode");
        impl::default_fpmath_mode() = mode;
    });
}

dnnl_status_t dnnl_get_primitive_cache_capacity(int *capacity) {
    return guarded({{capacity, "capacity"}}, [&] { *capacity = impl::cache_capacity(); });
}

dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity) {
    return guarded([&] {
        require(capacity >= 0, "capacity: must not be negative");
        impl::cache_capacity() = capacity;
        dnnl_primitive_desc::forget_kept();
    });
}

dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t *primitive,
    const_dnnl_primitive_desc_t primitive_desc, size_t size, const uint8_t *cache_blob) {
    return guarded({{primitive, "primitive"}, {primitive_desc, "primitive_desc"}}, [&] {
        require(size > 0 && cache_blob, "cache_blob: it is empty");
        throw error(dnnl_unimplemented, "cache_blob: primitives generate no code to keep");
    });
}

dnnl_status_t dnnl_primitive_get_cache_blob(
    const_dnnl_primitive_t primitive, size_t *size, uint8_t *) {
    return guarded({{primitive, "primitive"}, {size, "size"}}, [&] {
        throw error(dnnl_unimplemented, "cache_blob: primitives generate no code to keep");
    });
}

// ---- Generated code: there is none, so nothing is dumped and nothing is registered ----

dnnl_status_t dnnl_set_jit_dump(int) { return dnnl_success; }

dnnl_status_t dnnl_set_jit_profiling_flags(unsigned flags) {
    constexpr unsigned known = DNNL_JIT_PROFILE_VTUNE | DNNL_JIT_PROFILE_LINUX_PERF |
                               DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC;
    return guarded([&] {
        require((flags & ~known) == 0, "flags: undefined bits");
        require(!(flags & DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC) ||
                    (flags & DNNL_JIT_PROFILE_LINUX_JITDUMP),
            "flags: the time stamp counter serves the jitdump only");
    });
}

dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char *) { return dnnl_success; }

// ---- Instruction sets ----

dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa) {
    return guarded([&] {
        require(impl::is_level(isa), "isa: not an instruction set");
        require_implemented(impl::has_max_cpu_isa, "isa: built without this setting");
        require(impl::set_max_isa(isa), "isa: set before, or in use already");
    });
}

dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void) { return impl::effective_level(); }

dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints) {
    return guarded([&] {
        require(isa_hints == dnnl_cpu_isa_no_hints || isa_hints == dnnl_cpu_isa_prefer_ymm,
            "isa_hints: not a hint");
        require_implemented(impl::has_cpu_isa_hints, "isa_hints: built without this setting");
        if (!impl::set_isa_hints(isa_hints))
            throw error(dnnl_runtime_error, "isa_hints: set before, or in use already");
    });
}

dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints(void) { return impl::isa_hints(); }

// ---- Profiling of streams ----

dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream) {
    return guarded({{stream, "stream"}},
        [&] { require_implemented(false, "stream: a CPU stream has no profiling"); });
}

dnnl_status_t dnnl_query_profiling_data(
    dnnl_stream_t stream, dnnl_profiling_data_kind_t, int *num_entries, uint64_t *) {
    return guarded({{stream, "stream"}, {num_entries, "num_entries"}},
        [&] { require_implemented(false, "stream: a CPU stream has no profiling"); });
}
