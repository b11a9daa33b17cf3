// SPDX-License-Identifier: Apache-2.0
// C entry points: matrix products on plain pointers, row-major, on the library's own matmul.
#include <algorithm>
#include <cmath>
#include <vector>

#include "common/c_api/guard.hpp"
#include "common/exec_context.hpp"
#include "common/parallel.hpp"
#include "common/primitive_desc.hpp"
#include "common/verbose.hpp"
#include "dnnl/dnnl_ext.h"

namespace dnnl::impl {

namespace {

/// op(X) of rows x columns elements, stored row-major with a distance of ld elements between rows,
/// transposed when the stored matrix is columns x rows.
struct matrix {
    data_type dtype;
    const void *data;
    bool transposed;
    dim_t rows, columns, ld;

    memory_desc md() const {
        const dim_t dims[] = {rows, columns};
        const dim_t strides[] = {transposed ? 1 : ld, transposed ? ld : 1};
        return make_with_strides(2, dims, dtype, strides);
    }
};

bool is_letter(char c, char upper) { return c == upper || c == (upper | 0x20); }

bool parse_transpose(char c, const char *reason) {
    require(is_letter(c, 'N') || is_letter(c, 'T'), reason);
    return is_letter(c, 'T');
}

struct problem_size {
    dim_t M, N, K;
};

void check(const problem_size &s, const matrix &a, const matrix &b, const matrix &c) {
    require(s.M >= 0, "M: must not be negative");
    require(s.N >= 0, "N: must not be negative");
    require(s.K >= 0, "K: must not be negative");
    require(a.data, "A: must not be NULL");
    require(b.data, "B: must not be NULL");
    require(c.data, "C: must not be NULL");
    const auto least = [](const matrix &m) {
        return std::max<dim_t>(1, m.transposed ? m.rows : m.columns);
    };
    require(a.ld >= least(a), "lda: shorter than a row of A");
    require(b.ld >= least(b), "ldb: shorter than a row of B");
    require(c.ld >= least(c), "ldc: shorter than a row of C");
}

/// C = alpha * op(A) * op(B) + beta * C; integer products are exact modulo 2^32 for alpha 1 and
/// beta 0.
void multiply(const matrix &a, const matrix &b, const matrix &c, float alpha, float beta) {
    static dnnl_engine engine;
    primitive_attr attr;
    if (alpha != 1.0f) attr.scales.set({DNNL_ARG_WEIGHTS, 0, 0, {1, 1}, data_type::f32});
    if (beta != 0.0f) attr.post_ops.entries.push_back(sum_post_op {beta, 0, data_type::undef});
    const primitive_desc pd(&engine, matmul_desc {a.md(), b.md(), memory_desc {}, c.md()}, &attr);
    const dim_t one = 1;
    const memory_desc src = a.md(), weights = b.md(), dst = c.md();
    const memory_desc scalar = make_with_strides(1, &one, data_type::f32, nullptr);
    const bound_argument arguments[] = {{DNNL_ARG_SRC, &src, const_cast<void *>(a.data)},
        {DNNL_ARG_WEIGHTS, &weights, const_cast<void *>(b.data)},
        {DNNL_ARG_DST, &dst, const_cast<void *>(c.data)},
        {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, &scalar, &alpha}};
    const scratchpad_lease scratchpad(pd.scratchpad_bytes());
    const std::span<const bound_argument> all(arguments);
    pd.prepared().execute(exec_context(alpha != 1.0f ? all : all.first(3), scratchpad.data()));
}

/// Runs a product and prints its line where executions are printed.
template <class Body>
void timed(const matrix &a, const matrix &b, const matrix &c, const Body &body) {
    if (!verbose::wants(verbose::profile_exec)) return body();
    const double start = verbose::now_ms();
    body();
    const verbose::gemm_line line {
        {a.dtype, b.dtype, c.dtype}, a.transposed, b.transposed, a.rows, b.columns, a.columns};
    verbose::gemm_executed(line, verbose::now_ms() - start);
}

// ---- Integer products ----

/// The sum of each row of op(X), of its columns with by_columns.
template <class T> std::vector<std::int64_t> sums(const matrix &x, bool by_columns) {
    std::vector<std::int64_t> sum(static_cast<std::size_t>(by_columns ? x.columns : x.rows));
    const T *data = static_cast<const T *>(x.data);
    const dim_t stored_rows = x.transposed ? x.columns : x.rows;
    const dim_t stored_columns = x.transposed ? x.rows : x.columns;
    const bool across = by_columns != x.transposed; // sums run down the stored columns
    for (dim_t i = 0; i < stored_rows; ++i)
        for (dim_t j = 0; j < stored_columns; ++j)
            sum[static_cast<std::size_t>(across ? j : i)] += data[i * x.ld + j];
    return sum;
}

/// The offsets of an integer product: those of A and B, and co with its letter F, C or R.
struct offsets {
    std::int32_t a, b;
    const std::int32_t *c;
    char kind;

    std::int32_t of_dst(dim_t m, dim_t n) const {
        return c[is_letter(kind, 'F') ? 0 : is_letter(kind, 'C') ? m : n];
    }
};

std::int32_t saturate(double value) {
    if (std::isnan(value)) return 0;
    return static_cast<std::int32_t>(
        std::nearbyint(std::fmin(std::fmax(value, INT32_MIN), INT32_MAX)));
}

/// The longest sum of products of bytes that s32 surely holds is 65793 products long.
constexpr dim_t exact_K = dim_t {1} << 16;

/// Elements [k, k + count) of each row of op(A), or of each column of op(B).
matrix part_of(const matrix &x, dim_t k, dim_t count, bool of_columns) {
    matrix part = x;
    (of_columns ? part.rows : part.columns) = count;
    const dim_t step = of_columns == x.transposed ? 1 : x.ld;
    part.data = static_cast<const char *>(x.data) + k * step; // of bytes
    return part;
}

/// op(A) * op(B), exact for any K: sums of parts of K in s32, added up in 64 bits.
std::vector<std::int64_t> exact_product(
    const problem_size &s, const matrix &a, const matrix &b, dim_t count) {
    std::vector<std::int64_t> sum(static_cast<std::size_t>(count));
    std::vector<std::int32_t> part(static_cast<std::size_t>(count));
    const matrix to {data_type::s32, part.data(), false, s.M, s.N, s.N};
    for (dim_t k = 0; k < s.K; k += exact_K) {
        const dim_t length = std::min(exact_K, s.K - k);
        multiply(part_of(a, k, length, false), part_of(b, k, length, true), to, 1.0f, 0.0f);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
    }
    return sum;
}

/// C = round(alpha * (A - ao)(B - bo) + beta * C + co), exact up to the one multiplication by alpha
/// and the sums in f64; saturated. The offsets follow the product in 64-bit integers:
/// (A - ao)(B - bo) = AB - ao * column sums of B - bo * row sums of A + K * ao * bo.
template <class A>
void multiply_integers(const problem_size &s, const matrix &a, const matrix &b, const matrix &c,
    float alpha, float beta, const offsets &offset) {
    const auto count = checked_mul(s.M, s.N);
    require(count && *count <= INT64_MAX / 8, "M, N: the matrix overflows 64 bits");
    const std::vector<std::int64_t> product = exact_product(s, a, b, *count);
    std::vector<std::int64_t> of_columns, of_rows;
    if (offset.a) of_columns = sums<std::int8_t>(b, true);
    if (offset.b) of_rows = sums<A>(a, false);
    auto *dst = static_cast<std::int32_t *>(const_cast<void *>(c.data));
    parallel_for(s.M, static_cast<double>(s.N) * 3, [&](int, dim_t begin, dim_t end) {
        for (dim_t m = begin; m < end; ++m)
            for (dim_t n = 0; n < s.N; ++n) {
                std::int64_t sum = product[static_cast<std::size_t>(m * s.N + n)];
                if (offset.a) sum -= offset.a * of_columns[static_cast<std::size_t>(n)];
                if (offset.b) sum -= offset.b * of_rows[static_cast<std::size_t>(m)];
                sum += s.K * offset.a * offset.b;
                std::int32_t &out = dst[m * c.ld + n];
                const double kept = beta == 0.0f ? 0.0 : static_cast<double>(beta) * out;
                out = saturate(static_cast<double>(alpha) * static_cast<double>(sum) + kept +
                               offset.of_dst(m, n));
            }
    });
}

template <class A>
void gemm_s32(const problem_size &s, const matrix &a, const matrix &b, const matrix &c, float alpha,
    float beta, const offsets &offset) {
    require(
        is_letter(offset.kind, 'F') || is_letter(offset.kind, 'C') || is_letter(offset.kind, 'R'),
        "offsetc: must be F, C or R");
    check(s, a, b, c);
    require(offset.c, "co: must not be NULL");
    if (s.M == 0 || s.N == 0) return;
    timed(a, b, c, [&] { multiply_integers<A>(s, a, b, c, alpha, beta, offset); });
}

} // namespace

} // namespace dnnl::impl

using dnnl::impl::check;
using dnnl::impl::data_type;
using dnnl::impl::gemm_s32;
using dnnl::impl::guarded;
using dnnl::impl::matrix;
using dnnl::impl::multiply;
using dnnl::impl::parse_transpose;
using dnnl::impl::timed;

dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
    float alpha, const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb, float beta,
    float *C, dnnl_dim_t ldc) {
    return guarded([&] {
        const bool ta = parse_transpose(transa, "transa: must be N or T");
        const bool tb = parse_transpose(transb, "transb: must be N or T");
        const matrix a {data_type::f32, A, ta, M, K, lda}, b {data_type::f32, B, tb, K, N, ldb};
        const matrix c {data_type::f32, C, false, M, N, ldc};
        check({M, N, K}, a, b, c);
        if (M == 0 || N == 0) return;
        timed(a, b, c, [&] { multiply(a, b, c, alpha, beta); });
    });
}

dnnl_status_t dnnl_gemm_bf16bf16f32(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
    dnnl_dim_t K, float alpha, const uint16_t *A, dnnl_dim_t lda, const uint16_t *B, dnnl_dim_t ldb,
    float beta, float *C, dnnl_dim_t ldc) {
    return guarded([&] {
        const bool ta = parse_transpose(transa, "transa: must be N or T");
        const bool tb = parse_transpose(transb, "transb: must be N or T");
        const matrix a {data_type::bf16, A, ta, M, K, lda}, b {data_type::bf16, B, tb, K, N, ldb};
        const matrix c {data_type::f32, C, false, M, N, ldc};
        check({M, N, K}, a, b, c);
        if (M == 0 || N == 0) return;
        timed(a, b, c, [&] { multiply(a, b, c, alpha, beta); });
    });
}

dnnl_status_t dnnl_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
    dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda, uint8_t ao, const int8_t *B,
    dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co) {
    return guarded([&] {
        const bool ta = parse_transpose(transa, "transa: must be N or T");
        const bool tb = parse_transpose(transb, "transb: must be N or T");
        gemm_s32<std::uint8_t>({M, N, K}, {data_type::u8, A, ta, M, K, lda},
            {data_type::s8, B, tb, K, N, ldb}, {data_type::s32, C, false, M, N, ldc}, alpha, beta,
            {ao, bo, co, offsetc});
    });
}

dnnl_status_t dnnl_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
    dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda, int8_t ao, const int8_t *B,
    dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co) {
    return guarded([&] {
        const bool ta = parse_transpose(transa, "transa: must be N or T");
        const bool tb = parse_transpose(transb, "transb: must be N or T");
        gemm_s32<std::int8_t>({M, N, K}, {data_type::s8, A, ta, M, K, lda},
            {data_type::s8, B, tb, K, N, ldb}, {data_type::s32, C, false, M, N, ldc}, alpha, beta,
            {ao, bo, co, offsetc});
    });
}
