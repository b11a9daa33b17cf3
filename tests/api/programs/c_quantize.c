/* SPDX-License-Identifier: Apache-2.0 */
/* Quantization in the C interface of 3.10: scales and zero points that say where their values are,
 * given as host scalars; the second execution has other values. */
#include <math.h>

#include "oneapi/dnnl/dnnl.h"

#include "check.h"

enum { COUNT = 50, ARGS = 4 };

static dnnl_memory_t host_value(dnnl_data_type_t type, void *value) {
    dnnl_memory_desc_t md;
    dnnl_memory_t made;
    CHECK(dnnl_memory_desc_create_host_scalar(&md, type));
    CHECK(dnnl_memory_create_host_scalar(&made, md, value));
    CHECK(dnnl_memory_desc_destroy(md));
    return made;
}

int main(void) {
    static float src[COUNT];
    static unsigned char dst[COUNT];
    const dnnl_dims_t dims = {COUNT};
    void *src_handle = src, *dst_handle = dst;
    float scale = 0.25f, read = 0.f;
    int zero_point = 30, round, i;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t from, to;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t quantize;
    dnnl_exec_arg_t args[ARGS] = {{DNNL_ARG_FROM, NULL}, {DNNL_ARG_TO, NULL},
        {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, NULL},
        {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, NULL}};

    for (i = 0; i < COUNT; ++i) src[i] = (float)(i * 37 % COUNT) - 20.3f;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_memory_desc_create_with_tag(&from, 1, dims, dnnl_f32, dnnl_a));
    CHECK(dnnl_memory_desc_create_with_tag(&to, 1, dims, dnnl_u8, dnnl_a));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_scales_v2(attr, DNNL_ARG_DST, 0, 0, NULL, dnnl_f32, 1));
    CHECK(dnnl_primitive_attr_set_zero_points_v2(attr, DNNL_ARG_DST, 0, 0, NULL, dnnl_s32, 1));
    EXPECT(dnnl_primitive_attr_set_scales_v2(attr, DNNL_ARG_DST, 1, 0, NULL, dnnl_f32, 1) ==
           dnnl_invalid_arguments); /* one value for the tensor only */
    CHECK(dnnl_reorder_primitive_desc_create(&pd, from, engine, to, engine, attr));
    CHECK(dnnl_primitive_create(&quantize, pd));
    CHECK(dnnl_memory_create_v2(&args[0].memory, from, engine, 1, &src_handle));
    CHECK(dnnl_memory_create_v2(&args[1].memory, to, engine, 1, &dst_handle));
    args[2].memory = host_value(dnnl_f32, &scale);
    args[3].memory = host_value(dnnl_s32, &zero_point);

    for (round = 0; round < 2; ++round) {
        CHECK(dnnl_primitive_execute(quantize, stream, ARGS, args));
        CHECK(dnnl_stream_wait(stream));
        for (i = 0; i < COUNT; ++i) {
            double expected = (double)src[i] / scale + zero_point;
            if (expected < 0) expected = 0;
            if (expected > 255) expected = 255;
            EXPECT(fabs(dst[i] - expected) < 0.501);
        }
        scale = 0.125f;
        zero_point = 128;
        CHECK(dnnl_memory_set_host_scalar_value(args[2].memory, &scale));
        CHECK(dnnl_memory_set_host_scalar_value(args[3].memory, &zero_point));
        CHECK(dnnl_memory_get_host_scalar_value(args[2].memory, &read));
        EXPECT(read == 0.125f);
    }
    for (i = 0; i < ARGS; ++i) CHECK(dnnl_memory_destroy(args[i].memory));
    CHECK(dnnl_primitive_destroy(quantize));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_memory_desc_destroy(from));
    CHECK(dnnl_memory_desc_destroy(to));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
