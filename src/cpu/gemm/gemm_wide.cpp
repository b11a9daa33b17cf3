// SPDX-License-Identifier: Apache-2.0
// Products of bytes whose sums s32 need not hold: parts of K that it surely holds are summed by the
// kernels and added up in f64, which is exact. Compensation comes off in f64, too, so that the
// value that is rounded, to f32 or to an s32 destination, is the exact one.
#include <algorithm>
#include <cmath>

#include "common/layout/data_type.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/gemm/gemm_types.hpp"

namespace dnnl::impl::cpu {

namespace {

/// wide += part: m rows of n sums; the rows of both begin `stride` elements apart.
void add_sums(const s32 *part, double *wide, dim_t m, dim_t n, dim_t stride) {
    for (dim_t i = 0; i < m; ++i)
        for (dim_t j = 0; j < n; ++j) wide[i * stride + j] += part[i * stride + j];
}

/// The sums of m rows and n columns from column `first` on without compensation.
void compensate(const epilogue &f, const double *wide_compensation, const dim_t *position,
    double *sums, dim_t m, dim_t n, dim_t stride) {
    const dim_t row = position[row_dim], column = position[column_dim];
    for (dim_t i = 0; i < m; ++i) {
        double *x = sums + i * stride;
        if (wide_compensation)
            for (dim_t j = 0; j < n; ++j) x[j] -= wide_compensation[column + j];
        if (!f.row_compensation) continue;
        const double of_row = f.row_compensation[row + i];
        for (dim_t j = 0; j < n; ++j)
            x[j] -= of_row * (f.row_factors ? f.row_factors[column + j] : 1);
    }
}

/// dst = saturate(sums + bias + previous dst)
void store_integers(const epilogue_rows_args &e, const double *sums, dim_t stride) {
    const epilogue_step *bias = e.finish->bias_operand;
    dim_t first = 0;
    for (int d = 0; bias && d < position_rank; ++d) first += e.position[d] * bias->strides[d];
    for (dim_t i = 0; i < e.rows; ++i) {
        auto *dst = reinterpret_cast<s32 *>(static_cast<char *>(e.dst) + i * e.dst_stride);
        for (dim_t j = 0; j < e.columns; ++j) {
            double x = sums[i * stride + j];
            if (bias)
                x += static_cast<const s32 *>(bias->operand)[first + i * bias->strides[row_dim] +
                                                             j * bias->strides[column_dim]];
            if (e.finish->step_count) x += dst[j];
            dst[j] = f64_to_s32(x);
        }
    }
}

} // namespace

void gemm_driver::finish_wide(const gemm_task &t, dim_t n0, dim_t n, double *sums) const {
    const dim_t stride = blocking_.NC;
    epilogue finish = *t.finish;
    epilogue_rows_args rows {};
    rows.finish = &finish;
    rows.dst = static_cast<char *>(t.dst) + n0 * static_cast<dim_t>(size_of(finish.dst_type));
    rows.dst_stride = t.ldd;
    rows.rows = t.m;
    rows.columns = n;
    std::copy_n(t.position, position_rank, rows.position);
    rows.position[column_dim] += n0;
    compensate(finish, t.wide_compensation, rows.position, sums, t.m, n, stride);
    if (adds_integers(finish)) return store_integers(rows, sums, stride);
    finish.compensation = finish.row_compensation = nullptr;
    auto *rounded = static_cast<f32 *>(t.accumulators);
    for (dim_t i = 0; i < t.m; ++i)
        for (dim_t j = 0; j < n; ++j)
            rounded[i * stride + j] = static_cast<f32>(sums[i * stride + j]);
    rows.acc = rounded;
    rows.acc_stride = stride * dim_t {sizeof(f32)};
    rows.acc_type = data_type::f32;
    finish_wide_(rows);
}

void gemm_driver::run_wide(const gemm_task &t) const {
    const dim_t longest = exact_sum_length(a_, b_), NC = blocking_.NC;
    auto *part = static_cast<s32 *>(t.accumulators);
    auto *wide = reinterpret_cast<double *>(part + blocking_.MC * NC);
    for (dim_t n0 = 0; n0 < t.n; n0 += NC) {
        gemm_block_args g {};
        g.batch = 1;
        g.lda = t.lda;
        g.b_panel = t.b_panel;
        g.m = t.m;
        g.n = std::min(NC, t.n - n0);
        g.c = part;
        g.ldc = NC * dim_t {sizeof(s32)};
        const char *panels =
            static_cast<const char *>(t.b) + n0 / kernel_.panel_columns * t.b_panel;
        std::fill_n(wide, t.m * NC, 0.0);
        dim_t length = 0;
        const auto take_part = [&] {
            if (length > 0) add_sums(part, wide, t.m, g.n, NC);
            length = 0;
        };
        for (int product = 0; product < t.batch; ++product)
            for (dim_t k0 = 0; k0 < t.k; k0 += g.k) {
                g.k = std::min(blocking_.KC, t.k - k0);
                if (length + g.k > longest) take_part();
                const void *a = static_cast<const char *>(t.a) + product * t.a_step + k0;
                g.a = &a;
                g.b = t.maker ? t.maker->make(n0, g.n, k0, g.k)
                              : panels + (t.b_offsets ? t.b_offsets[product] : 0) +
                                    k0 * kernel_.panel_columns;
                g.accumulate = length > 0;
                kernel_.run(g);
                length += g.k;
            }
        take_part();
        finish_wide(t, n0, g.n, wide);
    }
}

} // namespace dnnl::impl::cpu
