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

/// Specification: yes.
DNNL_API size_t dnnl_engine_get_count(dnnl_engine_kind_t kind);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_engine_create(
    dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_stream_create(
    dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream);

/// Specification: yes.
DNNL_API dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream);

// ---- Default floating-point math mode ----

/// Extension.
DNNL_API dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode);

/// Extension.
DNNL_API dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);

// ---- Verbose and version ----

/// Extension.
DNNL_API dnnl_status_t dnnl_set_verbose(int level);

/// Extension.
DNNL_API const dnnl_version_t *dnnl_version(void);

// ---- Reason of a failure ----

/// Why the last call that failed on this thread failed, in words; "" when none has.
/// The text lives until the next failing call on the same thread. It names the argument or, after
/// dnnl_unimplemented, each implementation with the reason of its refusal.
/// Not part of oneDNN: a program that must also load with oneDNN declares it weak.
DNNL_API const char *dnnl_ext_last_error(void);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_COMMON_H
