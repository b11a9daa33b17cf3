// SPDX-License-Identifier: Apache-2.0
// C API: types that every part of the API shares: status, shapes, element types, engine, stream.
#ifndef ONEAPI_DNNL_DNNL_COMMON_TYPES_H
#define ONEAPI_DNNL_DNNL_COMMON_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "dnnl/dnnl_config.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Status, shapes and element types ----

/// How a call ended. dnnl_ext_last_error() has the reason in words.
typedef enum {
    dnnl_success = 0,       ///< done
    dnnl_out_of_memory = 1, ///< allocation failed, or a fixed capacity exceeded (post-ops chain)
    dnnl_invalid_arguments = 2,  ///< an argument is malformed or inconsistent
    dnnl_unimplemented = 3,      ///< well-formed request that no implementation takes
    dnnl_last_impl_reached = 4,  ///< implementation iteration is exhausted
    dnnl_runtime_error = 5,      ///< execution/engine failure, or a one-shot setting came too late
    dnnl_not_required = 6,       ///< the queried item does not exist for this primitive
    dnnl_invalid_graph = 7,      ///< graph API only
    dnnl_invalid_graph_op = 8,   ///< graph API only
    dnnl_invalid_shape = 9,      ///< graph API only
    dnnl_invalid_data_type = 10, ///< graph API only
} dnnl_status_t;

/// An extent, an index, a stride or an offset; in elements unless a name says bytes.
typedef int64_t dnnl_dim_t;

/// Largest number of dimensions of a tensor.
#define DNNL_MAX_NDIMS 12

/// One value per dimension. As a parameter only the first ndims (or spatial) entries are read.
typedef dnnl_dim_t dnnl_dims_t[DNNL_MAX_NDIMS];

/// Type of an element; the comments give its size in bytes. Two 4-bit integers share a byte, the
/// even index in the low half.
/// Specification: Data types.
typedef enum {
    dnnl_data_type_undef = 0,    ///< none
    dnnl_f16 = 1,                ///< IEEE half, 2 bytes
    dnnl_bf16 = 2,               ///< 1-8-7 float, 2 bytes
    dnnl_f32 = 3,                ///< IEEE single, 4
    dnnl_s32 = 4,                ///< 4
    dnnl_s8 = 5,                 ///< 1
    dnnl_u8 = 6,                 ///< 1
    dnnl_f64 = 7,                ///< IEEE double, 8
    dnnl_boolean = 8,            ///< 1; graph API only, rejected by memory descriptors
    dnnl_f8_e5m2 = 9,            ///< OCP 8-bit float 1-5-2 (has inf/NaN), 1
    dnnl_f8_e4m3 = 10,           ///< OCP 8-bit float 1-4-3 (no inf, NaN = S.1111.111, max 448), 1
    dnnl_s4 = 11,                ///< signed 4-bit, reported size 1
    dnnl_u4 = 12,                ///< unsigned 4-bit, reported size 1
    dnnl_e8m0 = 13,              ///< OCP MX power-of-two scale 2^(x-127), 0xff = NaN, 1
    dnnl_f4_e2m1 = 14,           ///< OCP MX 4-bit float, reported size 1
    dnnl_f4_e3m0 = 15,           ///< 4-bit float 1-3-0, reported size 1
    dnnl_s64 = 16,               ///< 8; seeds and offsets of random numbers, host scalars
    dnnl_data_type_max = 0x7fff, ///< reserves the range, not a value
} dnnl_data_type_t;

// ---- Arithmetic modes ----

/// Less precise type that f32 arithmetic may silently use; storage never changes.
/// Specification: Attributes, Floating-point math mode.
typedef enum {
    dnnl_fpmath_mode_strict = 0, ///< no implicit down-conversion (default)
    dnnl_fpmath_mode_bf16 = 1,   ///< f32 may be computed as bf16 or better
    dnnl_fpmath_mode_f16 = 2,    ///< f32 may be computed as f16 or better
    dnnl_fpmath_mode_any = 3,    ///< f32 may be computed as any of f16/tf32/bf16
    dnnl_fpmath_mode_tf32 = 4,   ///< f32 may be computed as tf32 or better
} dnnl_fpmath_mode_t;

/// Type that a sum is kept in.
typedef enum {
    dnnl_accumulation_mode_strict = 0,  ///< f32/f64 for float, s32 for integer (default)
    dnnl_accumulation_mode_relaxed = 1, ///< partial sums may be kept in the type of src or dst
    dnnl_accumulation_mode_any = 2,     ///< any type at least as wide as src/dst
    dnnl_accumulation_mode_s32 = 3,     ///< s32
    dnnl_accumulation_mode_f32 = 4,     ///< f32
    dnnl_accumulation_mode_f16 = 5,     ///< f16
} dnnl_accumulation_mode_t;

// ---- Engine and stream ----

/// Kind of a device; this library has dnnl_cpu.
/// Specification: Engine.
typedef enum {
    dnnl_any_engine = 0, ///< unspecified
    dnnl_cpu = 1,
    dnnl_gpu = 2,
} dnnl_engine_kind_t;

/// A device. There is one CPU engine, index 0. It must outlive everything created on it.
struct dnnl_engine;
typedef struct dnnl_engine *dnnl_engine_t;

/// Order of executions in a stream, a bit set.
/// Specification: Stream.
typedef enum {
    dnnl_stream_in_order = 0x1,
    dnnl_stream_out_of_order = 0x2,
    dnnl_stream_default_flags = dnnl_stream_in_order,
#ifdef DNNL_EXPERIMENTAL_PROFILING
    dnnl_stream_profiling = 0x4,
#endif
    dnnl_stream_flags_max = 0x7fff, ///< reserves the range, not a value
} dnnl_stream_flags_t;

/// A queue of executions on an engine; synchronous on the CPU.
struct dnnl_stream;
typedef struct dnnl_stream *dnnl_stream_t;
typedef const struct dnnl_stream *const_dnnl_stream_t;

// ---- Version ----

/// What dnnl_version() answers.
typedef struct {
    int major;
    int minor;
    int patch;
    const char *hash;     ///< git hash of the build or "N/A"
    unsigned cpu_runtime; ///< DNNL_RUNTIME_*
    unsigned gpu_runtime; ///< DNNL_RUNTIME_*
} dnnl_version_t;

// ---- Buffers of memory objects ----

/// Handle of a memory object without a buffer.
#define DNNL_MEMORY_NONE (NULL)

/// Asks dnnl_memory_create() to allocate the buffer and to own it.
#define DNNL_MEMORY_ALLOCATE ((void *)(size_t)-1)

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_COMMON_TYPES_H
