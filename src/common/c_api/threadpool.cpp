// SPDX-License-Identifier: Apache-2.0
// C entry points of a build with the THREADPOOL runtime.
#include "common/c_api/guard.hpp"
#include "common/runtime/stream_queue.hpp"
#include "dnnl/dnnl.h"
#include "dnnl/dnnl_threadpool.h"

dnnl_status_t dnnl_threadpool_interop_stream_create(
    dnnl_stream_t *stream, dnnl_engine_t engine, void *threadpool) {
    return guarded({{stream, "stream"}, {engine, "engine"}}, [&] {
        *stream = new dnnl_stream {engine, dnnl_stream_default_flags, threadpool, 0,
            std::make_shared<impl::stream_queue>()};
    });
}

dnnl_status_t dnnl_threadpool_interop_stream_get_threadpool(
    dnnl_stream_t astream, void **threadpool) {
    return guarded({{astream, "stream"}, {threadpool, "threadpool"}},
        [&] { *threadpool = astream->threadpool; });
}

dnnl_status_t dnnl_threadpool_interop_set_max_concurrency(int max_concurrency) {
    return guarded([&] {
        require(max_concurrency >= 1, "max_concurrency: must be positive");
        impl::set_max_concurrency(max_concurrency);
    });
}

dnnl_status_t dnnl_threadpool_interop_get_max_concurrency(int *max_concurrency) {
    return guarded({{max_concurrency, "max_concurrency"}},
        [&] { *max_concurrency = impl::max_concurrency(); });
}

dnnl_status_t dnnl_threadpool_interop_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
    dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb,
    float beta, float *C, dnnl_dim_t ldc, void *threadpool) {
    const impl::threadpool_scope scope(threadpool);
    return dnnl_sgemm(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

#define DNNL_THREADPOOL_GEMM(name, element)                                                        \
    dnnl_status_t dnnl_threadpool_interop_gemm_##name(char transa, char transb, char offsetc,      \
        dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const element *A, dnnl_dim_t lda,   \
        element ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C,            \
        dnnl_dim_t ldc, const int32_t *co, void *threadpool) {                                     \
        const impl::threadpool_scope scope(threadpool);                                            \
        return dnnl_gemm_##name(                                                                   \
            transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co);    \
    }
DNNL_THREADPOOL_GEMM(u8s8s32, uint8_t)
DNNL_THREADPOOL_GEMM(s8s8s32, int8_t)
