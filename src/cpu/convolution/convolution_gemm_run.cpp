// SPDX-License-Identifier: Apache-2.0
// Convolution on the blocked GEMM: one execution, block by block.
#include <algorithm>

#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/convolution/convolution_gemm.hpp"
#include "cpu/gemm/gemm_types.hpp"

namespace dnnl::impl::cpu {

/// Rows [begin, end) of the result: one call, or one per line where a post-op needs positions.
void gemm_convolution::multiply_rows(gemm_task t, dim_t begin, dim_t end, dim_t column) const {
    const dim_t dst_bytes = static_cast<dim_t>(size_of(dst_.wanted().dtype));
    const char *a = static_cast<const char *>(t.a);
    char *dst = static_cast<char *>(t.dst);
    const dim_t lines = forward_ ? shape_.OH : shape_.IH, planes = forward_ ? shape_.OD : shape_.ID;
    for (dim_t row = begin; row < end; row += t.m) {
        t.a = a + (row - begin) * t.lda;
        t.dst = dst + row * dst_row_stride_ * dst_bytes;
        t.position[column_dim] = column;
        if (flat_) {
            t.m = end - row;
            t.position[row_dim] = row;
        } else {
            const dim_t line = row / line_;
            t.m = std::min(end, (line + 1) * line_) - row;
            t.position[row_dim] = row - line * line_;
            t.position[2] = line % lines;
            t.position[1] = line / lines % planes;
            t.position[0] = line / lines / planes;
        }
        driver_.run(t);
    }
}

/// A block of a phase whose pixels are apart, or whose windows hit nothing.
void gemm_convolution::multiply_lines(const execution &e, gemm_task t, const block &b) const {
    const dim_t NC = driver_.blocking().NC, columns = driver_.kernel().panel_columns;
    auto *sums = static_cast<s32 *>(t.accumulators);
    const char *panels = static_cast<const char *>(t.b);
    t.finish = nullptr;
    t.pending = nullptr;
    t.dst = sums;
    t.ldd = NC * dim_t {sizeof(s32)};
    t.m = b.m1 - b.m0;
    for (dim_t n0 = 0; n0 < b.n; n0 += NC) {
        t.n = std::min(NC, b.n - n0);
        t.b = panels + n0 / columns * t.b_panel;
        if (phases_[b.phase].runs() == 0)
            std::fill_n(sums, t.m * NC, 0);
        else
            driver_.run(t);
        const s32 *compensation = e.compensation;
        if (compensation) compensation += static_cast<dim_t>(b.phase) * shape_.G * N_;
        store_.run(e.finish, e.dst, phases_[b.phase],
            {sums, driver_.kernel().acc_type, NC, b.m0, b.m1, b.g * N_ + b.n0 + n0, t.n,
                compensation});
    }
}

gemm_convolution::block gemm_convolution::block_of(dim_t item) const {
    const auto behind = std::upper_bound(first_items_.begin(), first_items_.end(), item);
    block b {};
    b.phase = static_cast<std::size_t>(behind - first_items_.begin()) - 1;
    const window_phase &phase = phases_[b.phase];
    const dim_t local = item - first_items_[b.phase], row_block = local / shares();
    b.n0 = local % shares() * column_share_;
    b.n = std::min(column_share_, N_ - b.n0);
    b.m0 = row_block % row_blocks(phase) * MC_;
    b.m1 = std::min(phase.gather.rows(), b.m0 + MC_);
    b.g = row_block / row_blocks(phase);
    return b;
}

/// What the product of a block takes, but for a place of the thread.
gemm_task gemm_convolution::task_of(const execution &e, const block &b) const {
    const window_phase &phase = phases_[b.phase];
    const auto a_bytes = static_cast<dim_t>(size_of(src_.wanted().dtype));
    const auto b_bytes = static_cast<dim_t>(size_of(weights_.wanted().dtype));
    const auto dst_bytes = static_cast<dim_t>(size_of(dst_.wanted().dtype));
    const bool direct = phase.gather.is_direct();
    gemm_task t {};
    t.lda = (direct ? phase.gather.row_stride() : phase.gather.row_size()) * a_bytes;
    t.a = e.src + b.g * K_ * a_bytes + b.m0 * t.lda; // of direct rows
    t.batch = phase.runs();
    t.k = phase.run_k();
    t.a_step = t.k * a_bytes;
    t.b_offsets = e.run_offsets + first_runs_[b.phase];
    t.b_panel = panel_stride_ * b_bytes;
    t.b = (panels_ ? e.panels : e.weights + b.g * group_stride_ * b_bytes) +
          b.n0 / driver_.kernel().panel_columns * panel_stride_ * b_bytes;
    t.n = b.n;
    t.dst = e.dst + (b.g * N_ + b.n0) * dst_bytes;
    t.ldd = dst_row_stride_ * dst_bytes;
    t.finish = epilogue_.is_identity() && !driver_.is_wide() ? nullptr : &e.finish->data;
    t.wide_compensation = e.wide_compensation;
    return t;
}

void gemm_convolution::multiply(const execution &e, int thread, dim_t begin, dim_t end) const {
    const auto a_bytes = static_cast<dim_t>(size_of(src_.wanted().dtype));
    char *rows = e.rows + thread * round_up(MC_ * row_bytes_, 64);
    pending_block *pending = moved(e.pending, thread);
    if (pending) reset(*pending);
    driver_.begin();
    block gathered {phases_.size(), 0, 0, 0, 0, 0};
    dim_t made = -1;
    for (dim_t item = begin; item < end; ++item) {
        const block b = block_of(item);
        const spatial_gather &gather = phases_[b.phase].gather;
        if (panels_ && b.g != made) panels_.make(e.weights, b.g, e.panels);
        made = b.g;
        gemm_task t = task_of(e, b);
        t.accumulators = e.accumulators + thread * accumulator_count_;
        t.pending = pending;
        if (!gather.is_direct()) {
            t.a = rows;
            const bool same = b.phase == gathered.phase && b.g == gathered.g && b.m0 == gathered.m0;
            const char *padding = moved(e.padding, b.g * gather.tap_size());
            if (!same) gather.run(e.src + b.g * K_ * a_bytes, b.m0, b.m1, rows, padding);
            gathered = b;
        }
        if (by_lines_)
            multiply_lines(e, t, b);
        else
            multiply_rows(t, b.m0, b.m1, b.g * N_ + b.n0);
    }
    driver_.end(pending);
}

void gemm_convolution::execute(const exec_context &ctx) const {
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    execution e {};
    e.finish = by_lines_ ? store_.bind(ctx, finish) : &finish;
    e.src = static_cast<const char *>(src_.begin(ctx, ctx.data(src_arg_)));
    e.weights = static_cast<const char *>(weights_.begin(ctx, ctx.data(DNNL_ARG_WEIGHTS)));
    e.dst = static_cast<char *>(dst_.begin(ctx, ctx.data(dst_arg_)));
    dim_t *run_offsets = ctx.scratch(run_offsets_);
    e.run_offsets = run_offsets;
    for (std::size_t p = 0; p < phases_.size(); ++p)
        phases_[p].list_runs(tap_bytes_, run_offsets + first_runs_[p]);
    e.rows = ctx.scratch(rows_);
    e.accumulators = ctx.scratch(accumulators_);
    if (driver_.kernel().end) e.pending = ctx.scratch(pending_);
    if (epilogue_.has_src_zero_point()) {
        if (!fill_padding(ctx)) return reference_.execute(ctx, ctx.arguments());
        e.padding = ctx.scratch(padding_);
        const s32 zero_point = finish.src_zero_point;
        if (driver_.is_wide())
            e.wide_compensation = compensation(ctx, e.weights, zero_point, wide_compensation_);
        else if (has_column_sums_)
            e.compensation = compensation(ctx, e.weights, zero_point, compensation_);
        else
            e.compensation = compensation(ctx, e);
        finish.data.compensation = e.compensation;
    }
    dim_t rows = 1, k = 0;
    for (const window_phase &phase : phases_) {
        rows = std::max(rows, std::min(MC_, phase.gather.rows()));
        k = std::max(k, phase.gather.row_size());
    }
    const double products = static_cast<double>(rows) * static_cast<double>(k + 32) *
                            static_cast<double>(std::min(column_share_, N_));
    parallel_for(items_, gemm_cost_ns(target_, src_.wanted().dtype, products), threads_,
        [&](int thread, dim_t begin, dim_t end) {
            execution own = e;
            if (panels_) own.panels = panels_.begin(ctx, thread);
            multiply(own, thread, begin, end);
        });
    dst_.end(ctx, ctx.data(dst_arg_));
}

} // namespace dnnl::impl::cpu
