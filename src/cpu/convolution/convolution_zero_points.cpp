// SPDX-License-Identifier: Apache-2.0
// Zero points of the source of a convolution on the blocked GEMM. Taps in the padding read them,
// and the compensation, their products with the weights, is taken off the sums.
#include <atomic>

#include "cpu/convolution/convolution.hpp"

namespace dnnl::impl::cpu {

void gemm_convolution::reserve_compensation(problem &p) {
    padding_ = p.scratchpad.reserve<char>(shape_.G * round_up(K_, panel_k_group(packed_type_)));
    compensation_ = p.scratchpad.reserve<s32>(dim_t(windows_.size()) * shape_.G * N_);
    if (driver_.is_wide()) wide_compensation_ = p.scratchpad.reserve<double>(shape_.G * N_);
    reference_ = zero_point_reference(p);
    why_not_ = reference_.why_not();
}

/// Finds the compensation from the column sums after the weights if there are any, or by products.
void gemm_convolution::compensate(execution &e, s32 zero_point) const {
    e.padding = e.ctx.scratch(padding_);
    if (!has_column_sums_) {
        e.compensation = multiply_padding(e);
        return;
    }
    const memory_desc &w = weights_.wanted();
    const auto *sums = reinterpret_cast<const s32 *>(e.weights + w.elements_bytes());
    const dim_t padded = w.padded_dims[shape_.has_groups ? 1 : 0];
    const auto scale = [&]<class Number>(Number *out) {
        // Measured on a Zen 5 core: 0.5 ns for a column.
        parallel_for_each(shape_.G, 0.5 * double(N_), [&](dim_t g) {
            for (dim_t n = 0; n < N_; ++n)
                out[g * N_ + n] = compensation_of<Number>(zero_point, sums[g * padded + n]);
        });
        return out;
    };
    if (driver_.is_wide())
        e.wide_compensation = scale(e.ctx.scratch(wide_compensation_));
    else
        e.compensation = scale(e.ctx.scratch(compensation_));
}

/// Computes the sums of a window that lies in the padding alone, the product of a row of zero
/// points with the weights. This serves zero points per channel of src, too.
const s32 *gemm_convolution::multiply_padding(const execution &e) const {
    s32 *out = e.ctx.scratch(compensation_);
    const dim_t columns = driver_.kernel().panel_columns, shares = div_up(N_, columns);
    const auto count = dim_t(windows_.size()) * shape_.G * shares;
    // Measured on a Zen 5 core, for one row: 15 products in a nanosecond with AVX2, 32 to 136 with
    // AVX-512. 50 ns fill the row.
    const double item_ns = 50 + 0.1 * double(row_bytes_ * columns);
    parallel_for(count, item_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
        execution own = e;
        if (panels_) own.panels = panels_.begin(e.ctx, thread);
        dim_t made = -1;
        driver_.begin();
        char *row = e.ctx.scratch(rows_) + thread * rows_bytes_;
        for (dim_t i = begin; i < end; ++i) {
            const dim_t n0 = i % shares * columns;
            const block b {
                i / shares / shape_.G, i / shares % shape_.G, 0, 1, n0, std::min(columns, N_ - n0)};
            if (panels_ && b.g != made) panels_.make(e.weights, b.g, own.panels);
            made = b.g;
            const dim_t tap = window(b.product).tap_size(), size = window(b.product).row_size();
            const char *padding = e.padding + b.g * tap;
            gemm_task t = task_of(own, b);
            t.finish = nullptr;
            s32 *sums = out + (b.product * shape_.G + b.g) * N_ + n0;
            t.dst = sums;
            std::fill_n(sums, t.n, 0); // stays where windows hit nothing
            if (is_listed(b.product)) {
                t.k = lists_[b.product].k();
                run_list(t, lists_[b.product].list_padding(row, padding));
                continue;
            }
            for (dim_t first = 0; first < size; first += tap)
                std::copy_n(padding, tap, row + first);
            t.rows = row;
            t.m = 1;
            driver_.run(t);
        }
        driver_.end(nullptr);
    });
    return out;
}

/// Makes taps of zero points. Returns false when one lies outside the range of src's type.
bool gemm_convolution::fill_padding(const exec_context &ctx) const {
    const int arg = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC;
    const void *values = ctx.in<void>(arg);
    const dim_t offset0 = ctx.desc(arg).offset0;
    const dim_t tap = round_up(K_, panel_k_group(packed_type_));
    char *padding = ctx.scratch(padding_);
    std::atomic<bool> fits = true;
    // Measured on a Zen 5 core: 1 ns to read and to check a value; and two divisions.
    parallel_for_each(shape_.G * tap, 3.0, [&](dim_t i) {
        const dim_t channel = i / tap * K_ + std::min(i % tap, K_ - 1);
        const s32 x =
            load_s32(zero_points_.dtype, values, offset0 + (zero_points_.mask ? channel : 0));
        if (!is_byte(src_.wanted().dtype, x)) fits = false;
        padding[i] = static_cast<char>(x);
    });
    return fits;
}

} // namespace dnnl::impl::cpu
