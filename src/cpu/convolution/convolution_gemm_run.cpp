// SPDX-License-Identifier: Apache-2.0
// Convolution on the blocked GEMM: one execution, block by block.
#include <algorithm>

#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/convolution/convolution_gemm.hpp"
#include "cpu/gemm/gemm_types.hpp"

namespace dnnl::impl::cpu {

dim_t gemm_convolution::items_of(dim_t product) const {
    return shape_.G * div_up(window(product).rows(), MC_) * div_up(N_, column_share_);
}

gemm_convolution::block gemm_convolution::cut(dim_t product, dim_t item) const {
    const dim_t rows = window(product).rows(), row_blocks = div_up(rows, MC_);
    const dim_t shares = div_up(N_, column_share_), row_block = item / shares;
    const dim_t m0 = row_block % row_blocks * MC_, n0 = item % shares * column_share_;
    return {product, row_block / row_blocks, m0, std::min(rows, m0 + MC_), n0,
        std::min(column_share_, N_ - n0)};
}

gemm_task gemm_convolution::task_of(const execution &e, const block &b) const {
    const spatial_gather &rows = window(b.product);
    const auto a_bytes = static_cast<dim_t>(size_of(src_.wanted().dtype));
    const auto b_bytes = static_cast<dim_t>(size_of(packed_type_));
    gemm_task t {};
    t.lda = (rows.is_direct() ? rows.row_stride() : rows.row_size()) * a_bytes;
    t.a = e.src + b.g * K_ * a_bytes + b.m0 * t.lda; // of direct rows
    t.batch = 1;
    t.k = rows.k();
    t.b_panel = panel_stride_ * b_bytes;
    t.b = (panels_ ? e.panels : e.weights + b.g * group_stride_ * b_bytes) +
          b.n0 / driver_.kernel().panel_columns * t.b_panel;
    t.n = b.n;
    t.dst = e.dst + (b.g * N_ + b.n0) * to_.bytes;
    t.ldd = dst_row_bytes_;
    t.finish = epilogue_.is_identity() && !driver_.is_wide() ? nullptr : e.finish;
    t.wide_compensation = e.wide_compensation;
    return t;
}

/// One call, or one per line where a post-op needs positions.
void gemm_convolution::run_block(const execution &, gemm_task t, const block &b) const {
    const char *a = static_cast<const char *>(t.a);
    char *dst = static_cast<char *>(t.dst);
    t.position[column_dim] = b.g * N_ + b.n0;
    for (dim_t row = b.m0; row < b.m1; row += t.m) {
        t.a = a + (row - b.m0) * t.lda;
        t.dst = dst + row * t.ldd;
        if (flat_) {
            t.m = b.m1 - row;
            t.position[row_dim] = row;
        } else {
            const dim_t line = row / to_.W;
            t.m = std::min(b.m1, (line + 1) * to_.W) - row;
            t.position[row_dim] = row - line * to_.W;
            t.position[2] = line % to_.H;
            t.position[1] = line / to_.H % to_.D;
            t.position[0] = line / to_.H / to_.D;
        }
        driver_.run(t);
    }
}

void gemm_convolution::multiply(const execution &e, int thread, dim_t begin, dim_t end) const {
    const auto a_bytes = static_cast<dim_t>(size_of(src_.wanted().dtype));
    char *rows = e.ctx.scratch(rows_) + thread * rows_bytes_;
    s32 *accumulators = e.ctx.scratch(accumulators_) + thread * accumulator_count_;
    pending_block *pending = moved(e.pending, thread);
    if (pending) reset(*pending);
    driver_.begin();
    block before {-1, -1, 0, 0, 0, 0};
    for (dim_t item = begin; item < end; ++item) {
        const block b = block_of(item);
        const spatial_gather &windows = window(b.product);
        if (panels_ && b.g != before.g) panels_.make(e.weights, b.g, e.panels);
        gemm_task t = task_of(e, b);
        t.accumulators = accumulators;
        t.pending = pending;
        if (!windows.is_direct()) {
            t.a = rows;
            if (b.product != before.product || b.g != before.g || b.m0 != before.m0)
                windows.run(e.src + b.g * K_ * a_bytes, b.m0, b.m1, rows,
                    moved(e.padding, b.g * windows.tap_size()));
        }
        before = b;
        run_block(e, t, b);
    }
    driver_.end(pending);
}

void gemm_convolution::execute(const exec_context &ctx) const {
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    begin_products(ctx, finish);
    const tensors first = begin(ctx);
    execution e {ctx, first.src, first.weights, first.dst, nullptr, &finish.data, nullptr, nullptr,
        nullptr, driver_.kernel().end ? ctx.scratch(pending_) : nullptr};
    if (epilogue_.has_src_zero_point()) {
        if (!fill_padding(ctx)) return reference_.execute(ctx, ctx.arguments());
        compensate(e, finish.src_zero_point);
        finish.data.compensation = e.compensation;
    }
    dim_t rows = 1, k = 0;
    for (const spatial_gather &window : windows_) {
        rows = std::max(rows, std::min(MC_, window.rows()));
        k = std::max(k, window.row_size());
    }
    const double products = static_cast<double>(rows) * static_cast<double>(k + 32) *
                            static_cast<double>(std::min(column_share_, N_));
    parallel_for(items_, gemm_cost_ns(target_, src_.wanted().dtype, products), threads_,
        [&](int thread, dim_t begin, dim_t end) {
            execution own = e;
            if (panels_) own.panels = panels_.begin(ctx, thread);
            multiply(own, thread, begin, end);
        });
    this->end(ctx);
}

} // namespace dnnl::impl::cpu
