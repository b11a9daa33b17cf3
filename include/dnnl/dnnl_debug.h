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

/// Extension.
DNNL_API const char *dnnl_status2str(dnnl_status_t v);

/// Extension.
DNNL_API const char *dnnl_dt2str(dnnl_data_type_t v);

/// Extension.
DNNL_API const char *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t v);

/// Extension.
DNNL_API const char *dnnl_accumulation_mode2str(dnnl_accumulation_mode_t v);

/// Extension.
DNNL_API const char *dnnl_engine_kind2str(dnnl_engine_kind_t v);

#ifdef DNNL_EXPERIMENTAL_SPARSE
/// Extension.
DNNL_API const char *dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v);
#endif

/// Extension.
DNNL_API const char *dnnl_fmt_tag2str(dnnl_format_tag_t v);

/// Extension.
DNNL_API const char *dnnl_prop_kind2str(dnnl_prop_kind_t v);

/// Extension.
DNNL_API const char *dnnl_prim_kind2str(dnnl_primitive_kind_t v);

/// Extension.
DNNL_API const char *dnnl_alg_kind2str(dnnl_alg_kind_t v);

/// Extension.
DNNL_API const char *dnnl_rnn_flags2str(dnnl_rnn_flags_t v);

/// Extension.
DNNL_API const char *dnnl_rnn_direction2str(dnnl_rnn_direction_t v);

/// Extension.
DNNL_API const char *dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v);

/// Extension.
DNNL_API const char *dnnl_rounding_mode2str(dnnl_rounding_mode_t v);

/// Extension.
DNNL_API const char *dnnl_cpu_isa2str(dnnl_cpu_isa_t v);

/// Extension.
DNNL_API const char *dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t v);

/// Extension.
DNNL_API const char *dnnl_runtime2str(unsigned v);

/// Extension.
DNNL_API const char *dnnl_fmt_kind2str(dnnl_format_kind_t v);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_DEBUG_H
