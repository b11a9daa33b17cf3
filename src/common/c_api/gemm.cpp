// SPDX-License-Identifier: Apache-2.0
// C entry points: matrix products on plain pointers, row-major, on the library's own matmul.
#include <algorithm>
#include <vector>

#include "common/c_api/guard.hpp"
#include "common/plan/primitive.hpp"
#include "common/runtime/parallel.hpp"
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

/// A or B; `name` is that of the argument `trans`.
matrix operand(const char *name, char trans, data_type type, const void *data, dim_t rows,
    dim_t columns, dim_t ld) {
    require(is_letter(trans, 'N') || is_letter(trans, 'T'), name, "must be N or T");
    return {type, data, is_letter(trans, 'T'), rows, columns, ld};
}

void check(const matrix &a, const matrix &b, const matrix &c) {
    require(c.rows >= 0, "M: must not be negative");
    require(c.columns >= 0, "N: must not be negative");
    require(a.columns >= 0, "K: must not be negative");
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

/// What is done to the sums of a product before they are stored.
struct finish {
    float alpha = 1, beta = 0;
    std::int32_t a_offset = 0, b_offset = 0; ///< subtracted from the elements of integer operands
    const std::int32_t *c_offsets = nullptr; ///< added to the sums; rows x columns of them, an
                                             ///< extent of 1 broadcasts; null: none
    dim_t rows = 1, columns = 1;
};

/// C = alpha * (op(A) - a_offset)(op(B) - b_offset) + beta * C + c_offsets. Integer
/// products are exact and saturate where alpha is 1 and beta is 0 or 1.
void multiply(const matrix &a, const matrix &b, const matrix &c, const finish &f) {
    const auto one_value = [](int arg, data_type t) { return quantization {arg, 0, 0, {1, 1}, t}; };
    const dim_t offset_dims[] = {f.rows, f.columns};
    const memory_desc src = a.md(), weights = b.md(), dst = c.md();
    static constexpr dim_t one = 1;
    static const memory_desc real = make_with_strides(1, &one, data_type::f32, nullptr);
    static const memory_desc integer = make_with_strides(1, &one, data_type::s32, nullptr);
    memory_desc bias;
    std::vector<bound_argument> arguments {{DNNL_ARG_SRC, &src, const_cast<void *>(a.data)},
        {DNNL_ARG_WEIGHTS, &weights, const_cast<void *>(b.data)},
        {DNNL_ARG_DST, &dst, const_cast<void *>(c.data)}};
    const auto pass = [&](int arg, const memory_desc &md, const void *value) {
        arguments.push_back({arg, &md, const_cast<void *>(value)});
    };
    primitive_attr attr;
    if (f.alpha != 1.0f) {
        attr.scales.set(one_value(DNNL_ARG_WEIGHTS, data_type::f32));
        pass(DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, real, &f.alpha);
    }
    if (f.beta != 0.0f)
        attr.post_ops.entries.emplace_back(sum_post_op {f.beta, 0, data_type::undef});
    if (f.a_offset) {
        attr.zero_points.set(one_value(DNNL_ARG_SRC, data_type::s32));
        pass(DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, integer, &f.a_offset);
    }
    if (f.b_offset) {
        attr.zero_points.set(one_value(DNNL_ARG_WEIGHTS, data_type::s32));
        pass(DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, integer, &f.b_offset);
    }
    if (f.c_offsets) {
        bias = make_with_strides(2, offset_dims, data_type::s32, nullptr);
        pass(DNNL_ARG_BIAS, bias, f.c_offsets);
    }
    static dnnl_engine engine;
    const primitive_desc pd(&engine, matmul_desc {src, weights, bias, dst}, &attr);
    const scratchpad_lease scratchpad(pd.scratchpad_bytes());
    pd.prepared().execute(exec_context(arguments, scratchpad.data()));
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

void gemm_f32(const matrix &a, const matrix &b, const matrix &c, float alpha, float beta) {
    check(a, b, c);
    if (a.rows == 0 || b.columns == 0) return;
    timed(a, b, c, [&] { multiply(a, b, c, {alpha, beta}); });
}

// ---- Integer products ----

/// The offsets of an integer product: `a` and `b` are those of A and B; `c` are added as the letter
/// `kind` (F, C or R) says.
struct offsets {
    std::int32_t a, b;
    const std::int32_t *c;
    char kind;
};

/// Rounds to nearest even and saturates; NaN becomes 0. Without calls, so that loops vectorise.
std::int32_t saturate(double value) {
    constexpr double magic = 0x1.8p52; // sums with it have no fraction
    double x = value == value ? value : 0;
    x = x < INT32_MIN ? INT32_MIN : x;
    x = x > INT32_MAX ? INT32_MAX : x;
    return static_cast<std::int32_t>((x + magic) - magic);
}

/// The longest sum of products of differences of bytes, each within -255 to 255, that s32 holds.
constexpr dim_t exact_K = INT32_MAX / (255 * 255);

/// What the matrix product itself carries out: everything where alpha is 1 and beta is 0 or 1.
finish finish_of(const matrix &c, float beta, const offsets &offset) {
    finish f {1, beta, offset.a, offset.b, nullptr, 1, 1};
    if (is_letter(offset.kind, 'C')) f.rows = c.rows;
    if (is_letter(offset.kind, 'R')) f.columns = c.columns;
    const std::int32_t *end = offset.c + f.rows * f.columns;
    if (std::any_of(offset.c, end, [](std::int32_t x) { return x != 0; })) f.c_offsets = offset.c;
    return f;
}

/// Stores C = round(alpha * sums + beta * C + co), saturated, in one pass over the rows of C.
template <class Sum>
void finish_rows(const Sum *sums, dim_t stride, const matrix &c, float alpha, float beta,
    const offsets &offset) {
    auto *dst = static_cast<std::int32_t *>(const_cast<void *>(c.data));
    const dim_t row_step = is_letter(offset.kind, 'C') ? 1 : 0;
    const dim_t column_step = is_letter(offset.kind, 'R') ? 1 : 0;
    const auto scale = double(alpha), of_kept = double(beta);
    const auto finish_row = [&](const Sum *row, const std::int32_t *co, std::int32_t *out) {
        for (dim_t n = 0; n < c.columns; ++n) {
            const double kept = beta == 0.0f ? 0.0 : of_kept * out[n];
            out[n] = saturate(scale * double(row[n]) + kept + co[n * column_step]);
        }
    };
    parallel_for(c.rows, double(c.columns), [&](int, dim_t begin, dim_t end) {
        for (dim_t m = begin; m < end; ++m)
            finish_row(sums + m * stride, offset.c + m * row_step, dst + m * c.ld);
    });
}

/// The elements [k, k + count) of each row of op(A), or of each column of op(B).
matrix part_of(const matrix &x, dim_t k, dim_t count, bool of_columns) {
    matrix part = x;
    (of_columns ? part.rows : part.columns) = count;
    const dim_t step = of_columns == x.transposed ? 1 : x.ld;
    part.data = static_cast<const char *>(x.data) + k * step; // of bytes
    return part;
}

/// Multiplies with any alpha, and where sums may exceed s32: parts of K are added up in 64 bits,
/// for as many rows at once as keep their sums in 2 MiB.
void multiply_long(const matrix &a, const matrix &b, const matrix &c, float alpha, float beta,
    const offsets &offset) {
    const dim_t rows_at_once = std::clamp<dim_t>((dim_t {1} << 18) / c.columns, 1, c.rows);
    const auto count = std::size_t(rows_at_once * c.columns);
    std::vector<std::int64_t> sums(count);
    std::vector<std::int32_t> part(count);
    for (dim_t m0 = 0; m0 < c.rows; m0 += rows_at_once) {
        const dim_t M = std::min(rows_at_once, c.rows - m0);
        std::fill(sums.begin(), sums.end(), 0);
        matrix rows_of_a = a, rows_of_c = c;
        rows_of_a.rows = rows_of_c.rows = M;
        rows_of_a.data = static_cast<const char *>(a.data) + m0 * (a.transposed ? 1 : a.ld);
        rows_of_c.data = static_cast<const std::int32_t *>(c.data) + m0 * c.ld;
        const matrix to {data_type::s32, part.data(), false, M, c.columns, c.columns};
        for (dim_t k = 0; k < a.columns; k += exact_K) {
            const dim_t length = std::min(exact_K, a.columns - k);
            multiply(part_of(rows_of_a, k, length, false), part_of(b, k, length, true), to,
                {1, 0, offset.a, offset.b, nullptr, 1, 1});
            parallel_for(M, double(c.columns), [&](int, dim_t begin, dim_t end) {
                for (dim_t i = begin * c.columns; i < end * c.columns; ++i) sums[i] += part[i];
            });
        }
        offsets of_rows = offset;
        if (is_letter(offset.kind, 'C')) of_rows.c += m0;
        finish_rows(sums.data(), c.columns, rows_of_c, alpha, beta, of_rows);
    }
}

/// C = round(alpha * (A - ao)(B - bo) + beta * C + co), exact up to the one multiplication by alpha
/// and the sums in f64; saturated.
void multiply_integers(const matrix &a, const matrix &b, const matrix &c, float alpha, float beta,
    const offsets &offset) {
    if (alpha == 1.0f && (beta == 0.0f || beta == 1.0f))
        return multiply(a, b, c, finish_of(c, beta, offset));
    if (a.columns > exact_K) return multiply_long(a, b, c, alpha, beta, offset);
    const finish of_product {1, 0, offset.a, offset.b, nullptr, 1, 1};
    if (beta == 0.0f) {
        multiply(a, b, c, of_product);
        return finish_rows(static_cast<const std::int32_t *>(c.data), c.ld, c, alpha, beta, offset);
    }
    const auto count = checked_mul(c.rows, c.columns);
    require(count && *count <= INT64_MAX / 8, "M, N: the matrix overflows 64 bits");
    std::vector<std::int32_t> sums(static_cast<std::size_t>(*count));
    multiply(a, b, {data_type::s32, sums.data(), false, c.rows, c.columns, c.columns}, of_product);
    finish_rows(sums.data(), c.columns, c, alpha, beta, offset);
}

void gemm_s32(const matrix &a, const matrix &b, const matrix &c, float alpha, float beta,
    const offsets &offset) {
    require(
        is_letter(offset.kind, 'F') || is_letter(offset.kind, 'C') || is_letter(offset.kind, 'R'),
        "offsetc: must be F, C or R");
    check(a, b, c);
    require(offset.c, "co: must not be NULL");
    if (c.rows == 0 || c.columns == 0) return;
    timed(a, b, c, [&] { multiply_integers(a, b, c, alpha, beta, offset); });
}

} // namespace

} // namespace dnnl::impl

#define DNNL_GEMM_F32(name, type, element)                                                         \
    dnnl_status_t dnnl_##name(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,  \
        float alpha, const element *A, dnnl_dim_t lda, const element *B, dnnl_dim_t ldb,           \
        float beta, float *C, dnnl_dim_t ldc) {                                                    \
        return guarded([&] {                                                                       \
            const auto a = impl::operand("transa", transa, data_type::type, A, M, K, lda);         \
            const auto b = impl::operand("transb", transb, data_type::type, B, K, N, ldb);         \
            impl::gemm_f32(a, b, {data_type::f32, C, false, M, N, ldc}, alpha, beta);              \
        });                                                                                        \
    }
DNNL_GEMM_F32(sgemm, f32, float)
DNNL_GEMM_F32(gemm_bf16bf16f32, bf16, uint16_t)

#define DNNL_GEMM_S32(name, type, element)                                                         \
    dnnl_status_t dnnl_gemm_##name(char transa, char transb, char offsetc, dnnl_dim_t M,           \
        dnnl_dim_t N, dnnl_dim_t K, float alpha, const element *A, dnnl_dim_t lda, element ao,     \
        const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,        \
        const int32_t *co) {                                                                       \
        return guarded([&] {                                                                       \
            const auto a = impl::operand("transa", transa, data_type::type, A, M, K, lda);         \
            const auto b = impl::operand("transb", transb, data_type::s8, B, K, N, ldb);           \
            const impl::matrix c {data_type::s32, C, false, M, N, ldc};                            \
            impl::gemm_s32(a, b, c, alpha, beta, {ao, bo, co, offsetc});                           \
        });                                                                                        \
    }
DNNL_GEMM_S32(u8s8s32, u8, uint8_t)
DNNL_GEMM_S32(s8s8s32, s8, int8_t)
