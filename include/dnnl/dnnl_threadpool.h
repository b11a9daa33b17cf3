// SPDX-License-Identifier: Apache-2.0
// C API of a build with DNNL_CPU_THREADING_RUNTIME = DNNL_RUNTIME_THREADPOOL; other builds do not
// export these functions. A threadpool is a dnnl::threadpool_interop::threadpool_iface *.
#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_H
#define ONEAPI_DNNL_DNNL_THREADPOOL_H

#include "dnnl/dnnl_config.h"
#include "dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Threadpool interop ----

/// Creates a stream whose executions run on a thread pool; the pool must outlive the stream.
/// NULL: the calling thread does the work.
/// Errors: dnnl_invalid_arguments if stream or engine is NULL.
/// Extension.
DNNL_API dnnl_status_t dnnl_threadpool_interop_stream_create(
    dnnl_stream_t *stream, dnnl_engine_t engine, void *threadpool);

/// Writes the thread pool of a stream, NULL for a stream created without one.
/// Extension.
DNNL_API dnnl_status_t dnnl_threadpool_interop_stream_get_threadpool(
    dnnl_stream_t astream, void **threadpool);

/// Sets, for the calling thread, the number of threads that primitives are prepared for.
/// Errors: dnnl_invalid_arguments if max_concurrency is below 1.
/// Extension.
DNNL_API dnnl_status_t dnnl_threadpool_interop_set_max_concurrency(int max_concurrency);

/// Writes that number; at first the number of cores that the process may use.
/// Extension.
DNNL_API dnnl_status_t dnnl_threadpool_interop_get_max_concurrency(int *max_concurrency);

/// As dnnl_sgemm(), on a thread pool.
/// Extension.
DNNL_API dnnl_status_t dnnl_threadpool_interop_sgemm(char transa, char transb, dnnl_dim_t M,
    dnnl_dim_t N, dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda, const float *B,
    dnnl_dim_t ldb, float beta, float *C, dnnl_dim_t ldc, void *threadpool);

/// As dnnl_gemm_u8s8s32(), on a thread pool.
/// Extension.
DNNL_API dnnl_status_t dnnl_threadpool_interop_gemm_u8s8s32(char transa, char transb, char offsetc,
    dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda,
    uint8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
    const int32_t *co, void *threadpool);

/// As dnnl_gemm_s8s8s32(), on a thread pool.
/// Extension.
DNNL_API dnnl_status_t dnnl_threadpool_interop_gemm_s8s8s32(char transa, char transb, char offsetc,
    dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda,
    int8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
    const int32_t *co, void *threadpool);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_THREADPOOL_H
