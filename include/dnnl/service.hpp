// SPDX-License-Identifier: Apache-2.0
// Process-wide settings, version, and plain matrix multiplication on pointers.
// Not in the specification; additions of oneDNN 3.7.

#ifndef ONEAPI_DNNL_SERVICE_HPP
#define ONEAPI_DNNL_SERVICE_HPP

#include "dnnl/dnnl.h"
#include "dnnl/enumerations.hpp"

namespace dnnl {

/// Version, source hash and runtimes of the library.
using version_t = dnnl_version_t;

/// The version of the library that is loaded; static storage.
inline const version_t *version() { return dnnl_version(); }

/// Sets what is printed: 0 nothing, 1 executions, 2 also creations. Overrides ONEDNN_VERBOSE.
/// Returns invalid_arguments for another level.
inline status set_verbose(int level) { return static_cast<status>(dnnl_set_verbose(level)); }

/// The fpmath mode that new attributes start with. Throws error on failure.
inline fpmath_mode get_default_fpmath_mode() {
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_strict;
    error::wrap_c_api(dnnl_get_default_fpmath_mode(&mode), "cannot get the default fpmath mode");
    return static_cast<fpmath_mode>(mode);
}

/// Sets the fpmath mode that new attributes start with.
inline status set_default_fpmath_mode(fpmath_mode mode) {
    return static_cast<status>(dnnl_set_default_fpmath_mode(convert_to_c(mode)));
}

/// Dumping of generated code. This library generates none.
inline status set_jit_dump(int enable) { return static_cast<status>(dnnl_set_jit_dump(enable)); }

/// Profiling of generated code, flags DNNL_JIT_PROFILE_*.
inline status set_jit_profiling_flags(unsigned flags) {
    return static_cast<status>(dnnl_set_jit_profiling_flags(flags));
}

/// Folder for profiles of generated code.
inline status set_jit_profiling_jitdumpdir(const std::string &dir) {
    return static_cast<status>(dnnl_set_jit_profiling_jitdumpdir(dir.c_str()));
}

/// Limits the instruction set. Takes effect once, before the first use of the library; later calls
/// return invalid_arguments.
inline status set_max_cpu_isa(cpu_isa isa) {
    return static_cast<status>(dnnl_set_max_cpu_isa(convert_to_c(isa)));
}

/// The instruction set in use.
inline cpu_isa get_effective_cpu_isa() {
    return static_cast<cpu_isa>(dnnl_get_effective_cpu_isa());
}

/// Sets preferences within the instruction set, once and before the first use of the library; later
/// calls return runtime_error.
inline status set_cpu_isa_hints(cpu_isa_hints isa_hints) {
    return static_cast<status>(dnnl_set_cpu_isa_hints(convert_to_c(isa_hints)));
}

/// The preferences in use.
inline cpu_isa_hints get_cpu_isa_hints() {
    return static_cast<cpu_isa_hints>(dnnl_get_cpu_isa_hints());
}

/// Number of primitives that the primitive cache may hold. Throws error on failure.
inline int get_primitive_cache_capacity() {
    int result = 0;
    error::wrap_c_api(dnnl_get_primitive_cache_capacity(&result),
        "cannot get the capacity of the primitive cache");
    return result;
}

/// Sets that number and drops what the cache holds. Throws invalid_arguments if it is negative.
inline void set_primitive_cache_capacity(int capacity) {
    error::wrap_c_api(dnnl_set_primitive_cache_capacity(capacity),
        "cannot set the capacity of the primitive cache");
}

#ifdef DNNL_EXPERIMENTAL_PROFILING
/// Discards the profiling data of a stream. Throws error on failure.
inline void reset_profiling(stream &astream) {
    error::wrap_c_api(dnnl_reset_profiling(astream.get()), "cannot reset profiling");
}

/// Profiling data of a stream, one number per execution. Throws error on failure.
inline std::vector<uint64_t> get_profiling_data(stream &astream, profiling_data_kind data_kind) {
    int count = 0;
    error::wrap_c_api(
        dnnl_query_profiling_data(astream.get(), convert_to_c(data_kind), &count, nullptr),
        "cannot query the number of profiling entries");
    std::vector<uint64_t> data(static_cast<size_t>(count));
    error::wrap_c_api(
        dnnl_query_profiling_data(astream.get(), convert_to_c(data_kind), &count, data.data()),
        "cannot query profiling data");
    return data;
}
#endif

/// C = alpha op(A) op(B) + beta C in f32. Matrices are row-major: op(A) is M x K, op(B) is K x N,
/// op transposes if the letter is 'T' and not if it is 'N'; lda, ldb, ldc are elements between
/// rows. With beta = 0 the old C is not read. Returns invalid_arguments for a wrong letter, a
/// negative size, a leading dimension shorter than a row, or null.
inline status sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha,
    const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb, float beta, float *C,
    dnnl_dim_t ldc) {
    return static_cast<status>(
        dnnl_sgemm(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc));
}

/// C = round(alpha (op(A) - ao) (op(B) - bo) + beta C + co), saturated to s32; u8 times s8. co is
/// one value (offsetc 'F'), one per row (length M, 'C') or one per column (length N, 'R').
/// Otherwise as sgemm().
inline status gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
    dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda, uint8_t ao, const int8_t *B,
    dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co) {
    return static_cast<status>(dnnl_gemm_u8s8s32(
        transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}

/// The same with A of s8.
inline status gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
    dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda, int8_t ao, const int8_t *B,
    dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co) {
    return static_cast<status>(dnnl_gemm_s8s8s32(
        transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}

} // namespace dnnl

#endif
