// SPDX-License-Identifier: Apache-2.0
#include "cpu/rnn/rnn_gradients.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/kernels/movement/copy_tile.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

rnn_weights_gradient::rnn_weights_gradient(problem &p, const rnn_shape &s, int threads)
    : target_(p.target), threads_(threads), T_(s.T), MB_(s.MB) {
    const dim_t K = T_ * MB_, channels = std::max({s.SLC, s.SIC, s.DHC});
    const dim_t columns = round_up(std::max(s.G * s.DHC, s.DIC), panel_columns(data_type::f32));
    driver_ =
        gemm_driver(p.target, data_type::f32, data_type::f32, channels, s.G * s.DHC, K, threads);
    operand_ = p.scratchpad.reserve<f32>(channels * K);
    ones_ = p.scratchpad.reserve<f32>(K);
    panels_ = p.scratchpad.reserve<f32>(columns * K);
    accumulators_ = p.scratchpad.reserve<s32>(threads * driver_.accumulator_count());
}

void rnn_weights_gradient::load_gradient(
    const exec_context &ctx, const f32 *b, dim_t row, dim_t columns) const {
    const dim_t K = T_ * MB_, width = panel_columns(data_type::f32);
    f32 *panels = ctx.scratch(panels_);
    const auto pack = select_pack_b(target_, data_type::f32);
    const double panel_ns = 0.3 * static_cast<double>(K * width);
    parallel_for(div_up(columns, width), panel_ns, threads_, [&](int, dim_t begin, dim_t end) {
        for (dim_t panel = begin; panel < end; ++panel) {
            pack_b_args args {};
            args.src = b + panel * width;
            args.k_stride = row;
            args.n_stride = 1;
            args.k = args.k_padded = K;
            args.n = std::min(width, columns - panel * width);
            args.dst = panels + panel * width * K;
            args.panel_bytes = width * K * dim_t {sizeof(f32)};
            pack(args);
        }
    });
}

void rnn_weights_gradient::load_operand(const exec_context &ctx, const rnn_operand &a) const {
    const dim_t K = T_ * MB_, shifted = a.first ? std::min<dim_t>(MB_, K) : 0;
    f32 *transposed = ctx.scratch(operand_);
    const auto copy = kernel_for<vector_levels>(target_, []<class Isa> { return copy_tile<Isa>; });
    constexpr dim_t side = 64; // of a tile of at most convert_tile_elements
    const auto bytes = static_cast<dim_t>(size_of(a.dtype));
    const double channel_ns = 2.0 * static_cast<double>(K);
    parallel_for(a.channels, channel_ns, threads_, [&](int, dim_t begin, dim_t end) {
        // Rows of a, from one on, into columns of its transpose, from one on.
        const auto transpose = [&](const void *from, dim_t row, dim_t rows, dim_t column) {
            copy_tile_args args {};
            args.src_type = a.dtype;
            args.dst_type = data_type::f32;
            args.src_row = args.dst_column = 1;
            args.src_column = a.channels;
            args.dst_row = K;
            for (dim_t c = begin; c < end; c += side)
                for (dim_t k = 0; k < rows; k += side) {
                    args.src =
                        static_cast<const char *>(from) + ((row + k) * a.channels + c) * bytes;
                    args.dst = transposed + c * K + column + k;
                    args.rows = std::min(side, end - c);
                    args.columns = std::min(side, rows - k);
                    copy(args);
                }
        };
        transpose(a.rows, a.reversed ? shifted : 0, K - shifted, a.reversed ? 0 : shifted);
        transpose(a.first, 0, shifted, a.reversed ? K - shifted : 0);
    });
}

namespace {
/// dst = sums + dst.
constexpr epilogue_step add_previous {
    epilogue_step::kind::sum, algorithm::undef, 0, 0, 1, 0, data_type::f32, nullptr, {}};

epilogue accumulation() {
    epilogue finish {};
    finish.steps = &add_previous;
    finish.step_count = 1;
    finish.inverse_dst_scale = 1;
    finish.dst_type = data_type::f32;
    return finish;
}
} // namespace

void rnn_weights_gradient::run(const exec_context &ctx, const result &c, const f32 *a) const {
    const dim_t K = T_ * MB_, width = panel_columns(data_type::f32);
    const f32 *panels = ctx.scratch(panels_);
    const epilogue finish = accumulation();
    rnn_grid grid(c.rows, c.columns, driver_, threads_);
    grid.row_block = std::min(grid.row_block, driver_.blocking().MC);
    const double products = static_cast<double>(std::min(grid.row_block, c.rows) *
                                                std::min(grid.column_block, c.columns)) *
                            static_cast<double>(K);
    const double block_ns = gemm_cost_ns(target_, data_type::f32, products);
    parallel_for(grid.count(), block_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
        driver_.begin();
        for (dim_t item = begin; item < end; ++item) {
            const rnn_block b(grid, item);
            gemm_task t {};
            t.rows = a + b.row * K;
            t.lda_bytes = K * dim_t {sizeof(f32)};
            t.b = panels + b.column / width * width * K;
            t.b_panel_bytes = width * K * dim_t {sizeof(f32)};
            t.batch = 1;
            t.m = b.rows;
            t.n = b.columns;
            t.k = K;
            t.dst = c.sums + b.row * c.row + b.column;
            t.ldd_bytes = c.row * dim_t {sizeof(f32)};
            t.finish = c.accumulate ? &finish : nullptr;
            t.c = ctx.scratch(accumulators_) + thread * driver_.accumulator_count();
            driver_.run(t);
        }
        driver_.end(nullptr);
    });
}

void rnn_weights_gradient::multiply(const exec_context &ctx, const result &c) const {
    run(ctx, c, ctx.scratch(operand_));
}

void rnn_weights_gradient::sum_rows(const exec_context &ctx, const result &c) const {
    f32 *ones = ctx.scratch(ones_);
    std::fill_n(ones, T_ * MB_, 1.0f);
    run(ctx, c, ones);
}

} // namespace dnnl::impl::cpu
