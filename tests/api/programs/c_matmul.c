/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product with bias and ReLU in the C interface of 3.7: descriptors by strides and tags,
 * memories of one buffer, queries of what was created. */
#include <math.h>

#include "oneapi/dnnl/dnnl.h"

#include "check.h"

enum { M = 7, K = 21, N = 12 };

int main(void) {
    static float src[M * K], weights[K * N], bias[N], dst[M * N];
    const dnnl_dims_t src_dims = {M, K}, weights_dims = {K, N}, transposed = {1, K};
    const dnnl_dims_t bias_dims = {1, N}, dst_dims = {M, N};
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t src_md, weights_md, bias_md, dst_md;
    dnnl_post_ops_t ops;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t product;
    const_dnnl_memory_desc_t queried;
    void *mapped = NULL;
    int i, k;

    for (i = 0; i < M * K; ++i) src[i] = (float)(i * 5 % 13) / 8.f - 0.75f;
    for (i = 0; i < K * N; ++i) weights[i] = (float)(i * 7 % 11) / 4.f - 1.25f; /* N x K */
    for (i = 0; i < N; ++i) bias[i] = (float)i - 5.5f;

    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_memory_desc_create_with_tag(&src_md, 2, src_dims, dnnl_f32, dnnl_ab));
    CHECK(dnnl_memory_desc_create_with_strides(&weights_md, 2, weights_dims, dnnl_f32, transposed));
    CHECK(dnnl_memory_desc_create_with_tag(&bias_md, 2, bias_dims, dnnl_f32, dnnl_ab));
    CHECK(dnnl_memory_desc_create_with_tag(&dst_md, 2, dst_dims, dnnl_f32, dnnl_ab));
    EXPECT(dnnl_memory_desc_get_size(weights_md) == sizeof weights);
    CHECK(dnnl_post_ops_create(&ops));
    CHECK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.f, 0.f));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, ops));
    CHECK(
        dnnl_matmul_primitive_desc_create(&pd, engine, src_md, weights_md, bias_md, dst_md, attr));
    queried = dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
    EXPECT(dnnl_memory_desc_equal(queried, dst_md));
    EXPECT(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0) == 3);
    CHECK(dnnl_primitive_create(&product, pd));
    {
        dnnl_exec_arg_t args[4] = {{DNNL_ARG_SRC, NULL}, {DNNL_ARG_WEIGHTS, NULL},
            {DNNL_ARG_BIAS, NULL}, {DNNL_ARG_DST, NULL}};
        CHECK(dnnl_memory_create(&args[0].memory, src_md, engine, src));
        CHECK(dnnl_memory_create(&args[1].memory, weights_md, engine, DNNL_MEMORY_NONE));
        CHECK(dnnl_memory_set_data_handle(args[1].memory, weights));
        CHECK(dnnl_memory_create(&args[2].memory, bias_md, engine, bias));
        CHECK(dnnl_memory_create(&args[3].memory, dst_md, engine, DNNL_MEMORY_ALLOCATE));
        CHECK(dnnl_primitive_execute(product, stream, 4, args));
        CHECK(dnnl_stream_wait(stream));
        CHECK(dnnl_memory_map_data(args[3].memory, &mapped));
        for (i = 0; i < M * N; ++i) dst[i] = ((const float *)mapped)[i];
        CHECK(dnnl_memory_unmap_data(args[3].memory, mapped));
        for (i = 0; i < 4; ++i) CHECK(dnnl_memory_destroy(args[i].memory));
    }
    for (i = 0; i < M * N; ++i) {
        double sum = bias[i % N];
        for (k = 0; k < K; ++k) sum += (double)src[i / N * K + k] * weights[i % N * K + k];
        EXPECT(fabs(dst[i] - (sum > 0 ? sum : 0)) < 1e-4);
    }
    CHECK(dnnl_primitive_destroy(product));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_post_ops_destroy(ops));
    CHECK(dnnl_memory_desc_destroy(src_md));
    CHECK(dnnl_memory_desc_destroy(weights_md));
    CHECK(dnnl_memory_desc_destroy(bias_md));
    CHECK(dnnl_memory_desc_destroy(dst_md));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
