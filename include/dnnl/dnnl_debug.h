// SPDX-License-Identifier: Apache-2.0
// C API: enumerators as text. Every function returns a static string, never NULL:
// the name without dnnl_, or "unknown <what>" for a value that is no enumerator.
#ifndef ONEAPI_DNNL_DNNL_DEBUG_H
#define ONEAPI_DNNL_DNNL_DEBUG_H

#include "dnnl/dnnl_config.h"
#include "dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Debug strings ----

/// Name of a status.
/// Extension.
DNNL_API const char *dnnl_status2str(dnnl_status_t v);

/// Name of a data type.
/// Extension.
DNNL_API const char *dnnl_dt2str(dnnl_data_type_t v);

/// Name of a math mode.
/// Extension.
DNNL_API const char *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t v);

/// Name of an accumulation mode.
/// Extension.
DNNL_API const char *dnnl_accumulation_mode2str(dnnl_accumulation_mode_t v);

/// Name of an engine kind: any, cpu or gpu.
/// Extension.
DNNL_API const char *dnnl_engine_kind2str(dnnl_engine_kind_t v);

/// Name of a sparse encoding.
/// Extension.
DNNL_API const char *dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v);

/// Name of a format tag; an alias has the name of its canonical tag.
/// Extension.
DNNL_API const char *dnnl_fmt_tag2str(dnnl_format_tag_t v);

/// Name of a propagation kind.
/// Extension.
DNNL_API const char *dnnl_prop_kind2str(dnnl_prop_kind_t v);

/// Name of a primitive kind.
/// Extension.
DNNL_API const char *dnnl_prim_kind2str(dnnl_primitive_kind_t v);

/// Name of an algorithm.
/// Extension.
DNNL_API const char *dnnl_alg_kind2str(dnnl_alg_kind_t v);

/// Name of an RNN flag.
/// Extension.
DNNL_API const char *dnnl_rnn_flags2str(dnnl_rnn_flags_t v);

/// Name of an RNN direction.
/// Extension.
DNNL_API const char *dnnl_rnn_direction2str(dnnl_rnn_direction_t v);

/// Name of a scratchpad mode.
/// Extension.
DNNL_API const char *dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v);

/// Name of a rounding mode.
/// Extension.
DNNL_API const char *dnnl_rounding_mode2str(dnnl_rounding_mode_t v);

/// Name of a quantization mode.
/// Extension.
DNNL_API const char *dnnl_quantization_mode2str(dnnl_quantization_mode_t v);

/// Name of an instruction set, cpu_isa_ included.
/// Extension.
DNNL_API const char *dnnl_cpu_isa2str(dnnl_cpu_isa_t v);

/// Name of an instruction preference, cpu_isa_ included.
/// Extension.
DNNL_API const char *dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t v);

/// Name of a DNNL_RUNTIME_* value: none, sequential, OpenMP, TBB, threadpool or OpenCL.
/// Extension.
DNNL_API const char *dnnl_runtime2str(unsigned v);

/// Name of a format kind.
/// Extension.
DNNL_API const char *dnnl_fmt_kind2str(dnnl_format_kind_t v);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_DEBUG_H
