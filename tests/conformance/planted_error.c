/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before the library: does one thing wrong after every execution, which the conformance
 * program must notice. DNNL_PLANTED_ERROR says what:
 *   first, last   another first or last element of each result
 *   input         another last element of each input
 *   after         a byte written after each result, or before it: "before"
 *   status        an execution that fails */
#define _GNU_SOURCE
#include "oneapi/dnnl/dnnl.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef dnnl_status_t (*execute_function)(
    const_dnnl_primitive_t, dnnl_stream_t, int, const dnnl_exec_arg_t *);

static int is_result(int arg) {
    return arg == DNNL_ARG_DST || arg == DNNL_ARG_DIFF_SRC || arg == DNNL_ARG_DIFF_WEIGHTS;
}

static int is_input(int arg) {
    return arg == DNNL_ARG_SRC || arg == DNNL_ARG_WEIGHTS || arg == DNNL_ARG_DIFF_DST ||
           (arg >= DNNL_ARG_MULTIPLE_SRC && arg < DNNL_ARG_MULTIPLE_DST);
}

__attribute__((visibility("default"))) dnnl_status_t dnnl_primitive_execute(
    const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
    const dnnl_exec_arg_t *args) {
    const execute_function real =
        (execute_function)(size_t)dlsym(RTLD_NEXT, "dnnl_primitive_execute");
    const dnnl_status_t status = real(primitive, stream, nargs, args);
    const char *const kind = getenv("DNNL_PLANTED_ERROR");
    if (!kind || !strcmp(kind, "status")) return kind ? dnnl_runtime_error : status;
    for (int i = 0; i < nargs; ++i) {
        const_dnnl_memory_desc_t md = NULL;
        void *data = NULL;
        if (!(strcmp(kind, "input") ? is_result(args[i].arg) : is_input(args[i].arg))) continue;
        if (dnnl_memory_get_data_handle(args[i].memory, &data) != dnnl_success || !data) continue;
        if (dnnl_memory_get_memory_desc(args[i].memory, &md) != dnnl_success) continue;
        const size_t size = dnnl_memory_desc_get_size(md);
        if (size == 0) continue;
        dnnl_data_type_t type = dnnl_data_type_undef;
        if (dnnl_memory_desc_query(md, dnnl_query_data_type, &type) != dnnl_success) continue;
        unsigned char *const first = (unsigned char *)data, *const last = first + size - 1;
        /* The last byte of a number has its sign and most bits of its exponent. */
        if (!strcmp(kind, "first")) first[dnnl_data_type_size(type) - 1] ^= 0x40;
        if (!strcmp(kind, "last") || !strcmp(kind, "input")) *last ^= 0x40;
        if (!strcmp(kind, "after")) last[1] ^= 1;
        if (!strcmp(kind, "before")) first[-1] ^= 1;
    }
    return status;
}
