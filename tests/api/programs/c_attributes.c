/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes in the C interface of 3.7: scales of groups, zero points and a binary post-op of a
 * product with compressed weights, and dropout with a seed of 32 bits, whose mask explains the
 * result. */
#include <math.h>

#include "oneapi/dnnl/dnnl.h"

#include "check.h"

enum { M = 6, K = 64, N = 9, GROUP = 32, GROUPS = K / GROUP, LARGEST = 16 };

static dnnl_engine_t engine;
static dnnl_exec_arg_t args[LARGEST];
static int arg_count = 0;

/* Appends an argument: `buffer` with the given extents, row-major. */
static const_dnnl_memory_desc_t tensor(
    int arg, dnnl_dim_t rows, dnnl_dim_t columns, dnnl_data_type_t type, void *buffer) {
    dnnl_dims_t dims;
    dnnl_memory_desc_t md;
    const_dnnl_memory_desc_t kept;
    dims[0] = rows;
    dims[1] = columns;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 2, dims, type, dnnl_ab));
    args[arg_count].arg = arg;
    CHECK(dnnl_memory_create(&args[arg_count].memory, md, engine, buffer));
    CHECK(dnnl_memory_get_memory_desc(args[arg_count++].memory, &kept));
    CHECK(dnnl_memory_desc_destroy(md));
    return kept;
}

static void run(const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t weights,
    const_dnnl_memory_desc_t dst, const_dnnl_primitive_attr_t attr) {
    dnnl_stream_t stream;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t product;
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_matmul_primitive_desc_create(&pd, engine, src, weights, NULL, dst, attr));
    CHECK(dnnl_primitive_create(&product, pd));
    CHECK(dnnl_primitive_execute(product, stream, arg_count, args));
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_primitive_destroy(product));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_stream_destroy(stream));
    while (arg_count > 0) CHECK(dnnl_memory_destroy(args[--arg_count].memory));
}

static float src[M * K], scales[GROUPS * N], added[N], dst[M * N], plain[K * N], probability = 0.5f;
static signed char weights[K * N], zero_points[GROUPS * N];
static unsigned char mask[M * N];
static int seed = 12345;

int main(void) {
    const dnnl_dims_t groups = {GROUP, 1};
    const_dnnl_memory_desc_t src_md, weights_md, dst_md, added_md, mask_md;
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    int i, k, kept = 0;

    for (i = 0; i < M * K; ++i) src[i] = (float)(i * 7 % 31) / 16.f - 1.f;
    for (i = 0; i < K * N; ++i) weights[i] = (signed char)(i * 13 % 101 - 50);
    for (i = 0; i < GROUPS * N; ++i) scales[i] = i % 2 ? 0.0625f : 0.03125f;
    for (i = 0; i < GROUPS * N; ++i) zero_points[i] = (signed char)(i % 9 - 4);
    for (i = 0; i < N; ++i) added[i] = (float)i - 4.f;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));

    src_md = tensor(DNNL_ARG_SRC, M, K, dnnl_f32, src);
    weights_md = tensor(DNNL_ARG_WEIGHTS, K, N, dnnl_s8, weights);
    dst_md = tensor(DNNL_ARG_DST, M, N, dnnl_f32, dst);
    added_md = tensor(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, 1, N, dnnl_f32, added);
    tensor(DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, GROUPS, N, dnnl_f32, scales);
    tensor(DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, GROUPS, N, dnnl_s8, zero_points);
    CHECK(dnnl_post_ops_create(&ops));
    CHECK(dnnl_post_ops_append_binary(ops, dnnl_binary_add, added_md));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_bf16, 1));
    CHECK(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_f32));
    CHECK(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_s8));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, ops));
    run(src_md, weights_md, dst_md, attr);
    for (i = 0; i < M * N; ++i) {
        double sum = added[i % N];
        for (k = 0; k < K; ++k) {
            const int g = k / GROUP * N + i % N;
            plain[k * N + i % N] = (float)(weights[k * N + i % N] - zero_points[g]) * scales[g];
            sum += (double)src[i / N * K + k] * plain[k * N + i % N];
        }
        EXPECT(fabs(dst[i] - sum) < 1e-3);
    }
    CHECK(dnnl_post_ops_destroy(ops));
    CHECK(dnnl_primitive_attr_destroy(attr));

    src_md = tensor(DNNL_ARG_SRC, M, K, dnnl_f32, src);
    weights_md = tensor(DNNL_ARG_WEIGHTS, K, N, dnnl_f32, plain);
    dst_md = tensor(DNNL_ARG_DST, M, N, dnnl_f32, dst);
    mask_md = tensor(DNNL_ARG_ATTR_DROPOUT_MASK, M, N, dnnl_u8, mask);
    tensor(DNNL_ARG_ATTR_DROPOUT_PROBABILITY, 1, 1, dnnl_f32, &probability);
    tensor(DNNL_ARG_ATTR_DROPOUT_SEED, 1, 1, dnnl_s32, &seed);
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_dropout(attr, mask_md));
    run(src_md, weights_md, dst_md, attr);
    for (i = 0; i < M * N; ++i) {
        double sum = 0;
        for (k = 0; k < K; ++k) sum += (double)src[i / N * K + k] * plain[k * N + i % N];
        EXPECT(mask[i] <= 1 && fabs(dst[i] - 2 * sum * mask[i]) < 1e-3);
        kept += mask[i];
    }
    EXPECT(kept > 9 && kept < 45); /* of 54, at most five standard deviations from the half */
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
