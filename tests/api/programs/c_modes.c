/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes in the C interface of 3.11: scales with a quantization mode for an int8 product, and
 * dropout of an f32 product with a seed of 64 bits and an offset. Two offsets draw two masks. */
#include <math.h>
#include <string.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include "check.h"

enum { M = 16, K = 6, N = 20, COUNT = M * N };

static dnnl_engine_t engine;

static const_dnnl_memory_desc_t set_arg(dnnl_exec_arg_t *arg, int what, dnnl_dim_t rows,
    dnnl_dim_t columns, dnnl_data_type_t type, void *buffer) {
    dnnl_dims_t dims;
    dnnl_memory_desc_t md;
    const_dnnl_memory_desc_t kept;
    dims[0] = rows;
    dims[1] = columns;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 2, dims, type, dnnl_ab));
    arg->arg = what;
    CHECK(dnnl_memory_create_v2(&arg->memory, md, engine, 1, &buffer));
    CHECK(dnnl_memory_get_memory_desc(arg->memory, &kept));
    CHECK(dnnl_memory_desc_destroy(md));
    return kept;
}

static void run(const_dnnl_primitive_attr_t attr, int count, const dnnl_exec_arg_t *args) {
    const_dnnl_memory_desc_t mds[3];
    dnnl_stream_t stream;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t product;
    int i;
    for (i = 0; i < 3; ++i) CHECK(dnnl_memory_get_memory_desc(args[i].memory, &mds[i]));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_matmul_primitive_desc_create(&pd, engine, mds[0], mds[1], NULL, mds[2], attr));
    CHECK(dnnl_primitive_create(&product, pd));
    CHECK(dnnl_primitive_execute(product, stream, count, args));
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_primitive_destroy(product));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_stream_destroy(stream));
    for (i = 0; i < count; ++i) CHECK(dnnl_memory_destroy(args[i].memory));
}

static void modes_of_scales(void) {
    static signed char src[M * K], weights[K * N];
    static float dst[COUNT], scales[N];
    const dnnl_dims_t groups = {1, 32};
    dnnl_primitive_attr_t attr;
    dnnl_exec_arg_t args[4];
    int i, k;
    for (i = 0; i < M * K; ++i) src[i] = (signed char)(i * 5 % 23 - 11);
    for (i = 0; i < K * N; ++i) weights[i] = (signed char)(i * 7 % 19 - 9);
    for (i = 0; i < N; ++i) scales[i] = 0.125f * (float)(i + 1);
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_scales_v3(
        attr, DNNL_ARG_WEIGHTS, 2, 0, NULL, dnnl_f32, 0, dnnl_quantization_mode_static_sazp));
    set_arg(&args[0], DNNL_ARG_SRC, M, K, dnnl_s8, src);
    set_arg(&args[1], DNNL_ARG_WEIGHTS, K, N, dnnl_s8, weights);
    set_arg(&args[2], DNNL_ARG_DST, M, N, dnnl_f32, dst);
    set_arg(&args[3], DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, 1, N, dnnl_f32, scales);
    run(attr, 4, args);
    for (i = 0; i < COUNT; ++i) {
        int sum = 0;
        for (k = 0; k < K; ++k) sum += src[i / N * K + k] * weights[k * N + i % N];
        EXPECT(fabs(dst[i] - (double)sum * scales[i % N]) < 1e-3);
    }
    CHECK(dnnl_primitive_attr_set_scales_v3(
        attr, DNNL_ARG_DST, 3, 2, groups, dnnl_e8m0, 0, dnnl_quantization_mode_dynamic_mx));
    EXPECT(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_SRC, 0, 0, NULL, dnnl_f32, 0,
               dnnl_quantization_mode_undef) == dnnl_invalid_arguments);
    EXPECT(
        strcmp(dnnl_quantization_mode2str(dnnl_quantization_mode_dynamic_mx), "dynamic_mx") == 0);
    CHECK(dnnl_primitive_attr_destroy(attr));
}

static void dropout(void) {
    static float src[M * K], weights[K * N], dst[COUNT];
    static unsigned char masks[2][COUNT];
    float probability = 0.5f;
    long long seed = 123456789012345LL, offset = 9;
    const_dnnl_memory_desc_t mask_md, queried = NULL;
    dnnl_data_type_t seed_type = dnnl_data_type_undef;
    int use_offset = 0, on_host = 1, round, i, k;
    dnnl_primitive_attr_t attr;
    dnnl_exec_arg_t args[7];
    for (i = 0; i < M * K; ++i) src[i] = (float)(i * 5 % 23 - 11) / 8.f;
    for (i = 0; i < K * N; ++i) weights[i] = (float)(i * 7 % 19 - 9) / 4.f;
    for (round = 0; round < 2; ++round) {
        offset <<= 20 * round;
        mask_md = set_arg(&args[3], DNNL_ARG_ATTR_DROPOUT_MASK, M, N, dnnl_u8, masks[round]);
        CHECK(dnnl_primitive_attr_create(&attr));
        CHECK(dnnl_primitive_attr_set_dropout_v2(attr, mask_md, dnnl_s64, 1, 0));
        CHECK(
            dnnl_primitive_attr_get_dropout_v2(attr, &queried, &seed_type, &use_offset, &on_host));
        EXPECT(dnnl_memory_desc_equal(queried, mask_md) && seed_type == dnnl_s64);
        EXPECT(use_offset == 1 && on_host == 0);
        set_arg(&args[0], DNNL_ARG_SRC, M, K, dnnl_f32, src);
        set_arg(&args[1], DNNL_ARG_WEIGHTS, K, N, dnnl_f32, weights);
        set_arg(&args[2], DNNL_ARG_DST, M, N, dnnl_f32, dst);
        set_arg(&args[4], DNNL_ARG_ATTR_DROPOUT_PROBABILITY, 1, 1, dnnl_f32, &probability);
        set_arg(&args[5], DNNL_ARG_ATTR_DROPOUT_SEED, 1, 1, dnnl_s64, &seed);
        set_arg(&args[6], DNNL_ARG_ATTR_DROPOUT_OFFSET, 1, 1, dnnl_s64, &offset);
        run(attr, 7, args);
        for (i = 0; i < COUNT; ++i) {
            double sum = 0;
            for (k = 0; k < K; ++k) sum += (double)src[i / N * K + k] * weights[k * N + i % N];
            EXPECT(masks[round][i] <= 1 && fabs(dst[i] - 2 * sum * masks[round][i]) < 1e-4);
        }
        CHECK(dnnl_primitive_attr_destroy(attr));
    }
    EXPECT(memcmp(masks[0], masks[1], COUNT) != 0);
}

int main(void) {
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    modes_of_scales();
    dropout();
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
