// SPDX-License-Identifier: Apache-2.0
// C API: engine, stream, default math mode, verbose, version, reason of a failure.
#ifndef ONEAPI_DNNL_DNNL_COMMON_H
#define ONEAPI_DNNL_DNNL_COMMON_H

#include "dnnl/dnnl_common_types.h"
#include "dnnl/dnnl_config.h"
#include "dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Engine and stream ----

/// Number of engines of a kind: 1 for dnnl_cpu, 0 for every other value.
/// Specification: Engine and Stream.
DNNL_API size_t dnnl_engine_get_count(dnnl_engine_kind_t kind);

/// Creates engine number index of a kind.
/// Errors: dnnl_invalid_arguments unless kind is dnnl_cpu and index is 0.
/// Specification: Engine and Stream.
DNNL_API dnnl_status_t dnnl_engine_create(
    dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index);

/// Writes the kind of an engine.
/// Errors: dnnl_invalid_arguments if an argument is NULL.
/// Specification: Engine and Stream.
DNNL_API dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind);

/// Destroys an engine; NULL is allowed. Nothing created on it may be used any more.
/// Specification: Engine and Stream.
DNNL_API dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine);

/// Creates a stream on an engine. flags: a set of dnnl_stream_flags_t; the CPU executes in order
/// whichever order is asked for.
/// Errors: dnnl_unimplemented for a profiling stream; dnnl_invalid_arguments for both orders at
/// once, unknown bits or NULL.
/// Specification: Engine and Stream.
DNNL_API dnnl_status_t dnnl_stream_create(
    dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags);

/// Writes the engine of a stream, which stays owned by its creator.
/// Errors: dnnl_invalid_arguments if an argument is NULL.
/// Specification: Engine and Stream.
DNNL_API dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine);

/// Returns when all executions of the stream have ended; on the CPU they already have.
/// Errors: dnnl_invalid_arguments if stream is NULL.
/// Specification: Engine and Stream.
DNNL_API dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream);

/// Destroys a stream; NULL is allowed.
/// Specification: Engine and Stream.
DNNL_API dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream);

// ---- Default floating-point math mode ----

/// Writes the math mode that new attributes start with.
/// Extension.
DNNL_API dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode);

/// Sets the math mode that attributes created from now on start with, in the whole process; also
/// that of descriptors created with attr NULL. The first value comes from
/// ONEDNN_DEFAULT_FPMATH_MODE.
/// Errors: dnnl_invalid_arguments if mode is no enumerator.
/// Extension.
DNNL_API dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);

// ---- Verbose and version ----

/// Sets what is reported on standard output: 0 nothing, 1 executions, 2 also creations. Wins over
/// ONEDNN_VERBOSE.
/// Errors: dnnl_invalid_arguments for another level.
/// Extension.
DNNL_API dnnl_status_t dnnl_set_verbose(int level);

/// Version and runtimes of the library, in static storage; never NULL. Compare with the macros of
/// dnnl_version.h, which belong to the headers.
/// Extension.
DNNL_API const dnnl_version_t *dnnl_version(void);

// ---- Reason of a failure ----

/// Why the last call that failed on this thread failed, in words; "" when none has.
/// The text lives until the next failing call on the same thread. It names the argument and the
/// tensors; where no implementation takes a problem, it begins with what can be mended and goes on
/// with what each implementation says (doc/errors.md).
/// Not part of oneDNN: a program that must also load with oneDNN declares it weak.
DNNL_API const char *dnnl_ext_last_error(void);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_COMMON_H
