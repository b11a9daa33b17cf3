// SPDX-License-Identifier: Apache-2.0
#include "cpu/gemm/gemm.hpp"

#include "common/layout/data_type.hpp"

namespace dnnl::impl::cpu {

dim_t exact_sum_length(data_type a, data_type b, bool a_has_zero_point, bool b_has_zero_point) {
    const auto largest = [](data_type t, bool has_zero_point) -> dim_t {
        return t == data_type::u8 || has_zero_point ? 255 : 128;
    };
    return INT32_MAX / (largest(a, a_has_zero_point) * largest(b, b_has_zero_point));
}

namespace {

/// Takes the compensation off the sums of m rows and n columns from column `first` on.
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
    const dim_t first = bias ? offset_at(e.position, bias->strides) : 0;
    for (dim_t i = 0; i < e.rows; ++i) {
        auto *dst = reinterpret_cast<s32 *>(static_cast<char *>(e.dst) + i * e.dst_stride_bytes);
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

void wide_sums::take_part(const gemm_block_args &g) {
    const dim_t stride = g.ldc_bytes / dim_t {sizeof(s32)};
    const s32 *part = static_cast<const s32 *>(g.c);
    if (!started_) std::fill_n(wide_, g.m * stride, 0.0);
    started_ = true;
    for (dim_t i = 0; i < g.m && length_ > 0; ++i)
        for (dim_t j = 0; j < g.n; ++j) wide_[i * stride + j] += part[i * stride + j];
    length_ = 0;
}

bool wide_sums::add(const gemm_block_args &g) {
    const dim_t more = g.batch * g.k;
    if (length_ + more > longest_) take_part(g);
    length_ += more;
    return length_ > more;
}

void wide_sums::finish(const gemm_block_args &g) {
    const dim_t stride = g.ldc_bytes / dim_t {sizeof(s32)};
    take_part(g);
    started_ = false;
    epilogue finish = *t_.finish;
    epilogue_rows_args rows {};
    rows.finish = &finish;
    rows.dst = g.dst;
    rows.dst_stride_bytes = g.ldd_bytes;
    rows.rows = g.m;
    rows.columns = g.n;
    std::copy_n(g.position, position_rank, rows.position);
    compensate(finish, t_.wide_compensation, rows.position, wide_, g.m, g.n, stride);
    if (adds_integers(finish)) return store_integers(rows, wide_, stride);
    finish.compensation = finish.row_compensation = nullptr;
    auto *rounded = static_cast<f32 *>(g.c);
    for (dim_t i = 0; i < g.m; ++i)
        for (dim_t j = 0; j < g.n; ++j)
            rounded[i * stride + j] = static_cast<f32>(wide_[i * stride + j]);
    rows.acc = rounded;
    rows.acc_stride_bytes = g.ldc_bytes;
    rows.acc_type = data_type::f32;
    finish_(rows);
}

} // namespace dnnl::impl::cpu
