/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that programs built with the headers of 3.9 call for every memory: creation,
 * mapping and sizes by number of a buffer, for a dense tensor and a sparse one; a select as a
 * post-op. */
#include <math.h>
#include <string.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include "check.h"

enum { ROWS = 9, COLUMNS = 5, COUNT = ROWS * COLUMNS, NNZ = 8 };

static dnnl_engine_t engine;

static dnnl_memory_t memory_of(const_dnnl_memory_desc_t md, void *buffer) {
    dnnl_memory_t made = NULL;
    CHECK(dnnl_memory_create_v2(&made, md, engine, 1, &buffer));
    return made;
}

static void dense_tensor(void) {
    static float src[COUNT], other[COLUMNS];
    static signed char condition[COUNT];
    const dnnl_dims_t dims = {ROWS, COLUMNS}, row = {1, COLUMNS};
    dnnl_memory_desc_t md, row_md, condition_md;
    const_dnnl_memory_desc_t src1 = NULL, src2 = NULL;
    dnnl_alg_kind_t kind = dnnl_alg_kind_undef;
    dnnl_post_ops_t ops;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t square;
    dnnl_stream_t stream;
    dnnl_exec_arg_t args[4];
    void *results = NULL;
    int handles = 0, i;

    for (i = 0; i < COUNT; ++i) src[i] = (float)(i - 20) / 4.f;
    for (i = 0; i < COUNT; ++i) condition[i] = (signed char)(i % 3 - 1);
    for (i = 0; i < COLUMNS; ++i) other[i] = -1.f - (float)i;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab));
    CHECK(dnnl_memory_desc_create_with_tag(&row_md, 2, row, dnnl_f32, dnnl_ab));
    CHECK(dnnl_memory_desc_create_with_tag(&condition_md, 2, dims, dnnl_s8, dnnl_ab));
    EXPECT(dnnl_memory_desc_get_size_v2(md, 0) == sizeof src);
    CHECK(dnnl_memory_desc_query_v2(md, dnnl_query_num_handles_s32, 0, &handles));
    EXPECT(handles == 1);

    CHECK(dnnl_post_ops_create(&ops));
    CHECK(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, row_md, condition_md));
    CHECK(dnnl_post_ops_get_params_binary_v2(ops, 0, &kind, &src1, &src2));
    EXPECT(kind == dnnl_binary_select && dnnl_memory_desc_equal(src2, condition_md));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, ops));
    CHECK(dnnl_eltwise_forward_primitive_desc_create(
        &pd, engine, dnnl_forward_inference, dnnl_eltwise_square, md, md, 0.f, 0.f, attr));
    CHECK(dnnl_primitive_create(&square, pd));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    args[0].arg = DNNL_ARG_SRC;
    args[0].memory = memory_of(md, DNNL_MEMORY_NONE);
    args[1].arg = DNNL_ARG_DST;
    args[1].memory = memory_of(md, DNNL_MEMORY_ALLOCATE);
    args[2].arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
    args[2].memory = memory_of(row_md, other);
    args[3].arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_2;
    args[3].memory = memory_of(condition_md, condition);
    CHECK(dnnl_memory_set_data_handle_v2(args[0].memory, src, 0));
    CHECK(dnnl_primitive_execute(square, stream, 4, args));
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_memory_map_data_v2(args[1].memory, &results, 0));
    for (i = 0; i < COUNT; ++i) {
        const double expected = condition[i] != 0 ? (double)src[i] * src[i] : other[i % COLUMNS];
        EXPECT(fabs(((const float *)results)[i] - expected) < 1e-5);
    }
    CHECK(dnnl_memory_unmap_data_v2(args[1].memory, results, 0));
    for (i = 0; i < 4; ++i) CHECK(dnnl_memory_destroy(args[i].memory));
    CHECK(dnnl_primitive_destroy(square));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_post_ops_destroy(ops));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_memory_desc_destroy(md));
    CHECK(dnnl_memory_desc_destroy(row_md));
    CHECK(dnnl_memory_desc_destroy(condition_md));
}

static void sparse_tensor(void) {
    const dnnl_dims_t dims = {ROWS, COLUMNS};
    float kept[NNZ] = {1, 2, 3, 4, 5, 6, 7, 8};
    int columns[NNZ] = {0, 1, 2, 3, 4, 0, 1, 2},
        pointers[ROWS + 1] = {0, 2, 2, 4, 6, 6, 7, 8, 8, 8};
    void *handles[3], *found = NULL;
    dnnl_memory_desc_t md;
    dnnl_memory_t matrix;
    dnnl_dim_t nnz = 0;
    int i;
    handles[0] = kept;
    handles[1] = columns;
    handles[2] = pointers;
    CHECK(
        dnnl_memory_desc_create_with_csr_encoding(&md, 2, dims, dnnl_f32, NNZ, dnnl_s32, dnnl_s32));
    CHECK(dnnl_memory_desc_query_v2(md, dnnl_query_nnz_s64, 0, &nnz));
    EXPECT(nnz == NNZ && dnnl_memory_desc_get_size_v2(md, 2) == sizeof pointers);
    EXPECT(strcmp(dnnl_sparse_encoding2str(dnnl_csr), "csr") == 0);
    CHECK(dnnl_memory_create_v2(&matrix, md, engine, 3, handles));
    for (i = 0; i < 3; ++i) {
        CHECK(dnnl_memory_get_data_handle_v2(matrix, &found, i));
        EXPECT(found == handles[i]);
    }
    CHECK(dnnl_memory_destroy(matrix));
    CHECK(dnnl_memory_desc_destroy(md));
}

int main(void) {
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    dense_tensor();
    sparse_tensor();
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
