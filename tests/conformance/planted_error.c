/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before the library: flips the lowest bit of every destination, which the conformance
 * program must notice. */
#define _GNU_SOURCE
#include "oneapi/dnnl/dnnl.h"

#include <dlfcn.h>
#include <stddef.h>

typedef dnnl_status_t (*execute_function)(
    const_dnnl_primitive_t, dnnl_stream_t, int, const dnnl_exec_arg_t *);

__attribute__((visibility("default"))) dnnl_status_t dnnl_primitive_execute(
    const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
    const dnnl_exec_arg_t *args) {
    const execute_function real =
        (execute_function)(size_t)dlsym(RTLD_NEXT, "dnnl_primitive_execute");
    const dnnl_status_t status = real(primitive, stream, nargs, args);
    for (int i = 0; i < nargs; ++i) {
        void *data = NULL;
        if (args[i].arg != DNNL_ARG_DST) continue;
        if (dnnl_memory_get_data_handle(args[i].memory, &data) == dnnl_success && data)
            *(unsigned char *)data ^= 1;
    }
    return status;
}
