// SPDX-License-Identifier: Apache-2.0
// Convolution on the blocked GEMM: zero points of the source. Taps in the padding read them, and
// what they sum up to is taken off the sums: the compensation.
#include <algorithm>
#include <atomic>
#include <type_traits>

#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/convolution/convolution_gemm.hpp"

namespace dnnl::impl::cpu {

namespace {
/// a * b, exact in f64, modulo 2^32 in s32.
template <class Number> Number product(s32 a, s32 b) {
    if constexpr (std::is_same_v<Number, s32>)
        return static_cast<s32>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
    else
        return static_cast<Number>(a) * static_cast<Number>(b);
}
} // namespace

/// zero_point * column sum for every channel of the result.
template <class Number>
const Number *gemm_convolution::compensation(
    const exec_context &ctx, const char *weights, s32 zero_point, scratch_slot<Number> slot) const {
    const memory_desc &w = weights_.wanted();
    const auto *sums = reinterpret_cast<const s32 *>(weights + w.elements_bytes());
    const dim_t padded = w.padded_dims[shape_.has_groups ? 1 : 0];
    Number *out = ctx.scratch(slot);
    parallel_for(shape_.G * N_, 1.0, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i)
            out[i] = product<Number>(zero_point, sums[i / N_ * padded + i % N_]);
    });
    return out;
}
template const s32 *gemm_convolution::compensation(
    const exec_context &, const char *, s32, scratch_slot<s32>) const;
template const double *gemm_convolution::compensation(
    const exec_context &, const char *, s32, scratch_slot<double>) const;

/// The same per phase, for zero points per channel of src, too: what a window in the padding alone
/// sums up to, the product of a row of zero points with the weights.
const s32 *gemm_convolution::compensation(const exec_context &ctx, const execution &e) const {
    s32 *out = ctx.scratch(compensation_);
    const dim_t columns = driver_.kernel().panel_columns, shares = div_up(N_, columns);
    const auto item = [&](const execution &own, dim_t p, dim_t g, dim_t n0, char *row) {
        const window_phase &phase = phases_[static_cast<std::size_t>(p)];
        const dim_t tap = phase.gather.tap_size();
        for (dim_t first = 0; first < phase.gather.row_size(); first += tap)
            std::copy_n(e.padding + g * tap, tap, row + first);
        gemm_task t =
            task_of(own, {static_cast<std::size_t>(p), g, 0, 1, n0, std::min(columns, N_ - n0)});
        t.a = row;
        t.m = 1;
        t.finish = nullptr;
        t.dst = out + (p * shape_.G + g) * N_ + n0;
        if (phase.runs() == 0)
            std::fill_n(static_cast<s32 *>(t.dst), t.n, 0);
        else
            driver_.run(t);
    };
    const auto count = static_cast<dim_t>(phases_.size()) * shape_.G * shares;
    const double item_ns = 50 + 0.1 * static_cast<double>(row_bytes_ * columns);
    parallel_for(count, item_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
        execution own = e;
        if (panels_) own.panels = panels_.begin(ctx, thread);
        dim_t made = -1;
        driver_.begin();
        char *row = e.rows + thread * round_up(row_bytes_, 64);
        for (dim_t i = begin; i < end; ++i) {
            const dim_t g = i / shares % shape_.G;
            if (panels_ && g != made) panels_.make(e.weights, g, own.panels);
            made = g;
            item(own, i / shares / shape_.G, g, i % shares * columns, row);
        }
        driver_.end(nullptr);
    });
    return out;
}

/// Taps of zero points. False when one lies outside the range of src's type.
bool gemm_convolution::fill_padding(const exec_context &ctx) const {
    const int arg = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC;
    const void *values = ctx.in<void>(arg);
    const dim_t offset0 = ctx.desc(arg).offset0, tap = phases_[0].gather.tap_size();
    const s32 low = src_.wanted().dtype == data_type::u8 ? 0 : -128;
    char *padding = ctx.scratch(padding_);
    std::atomic<bool> fits = true;
    parallel_for(shape_.G * tap, 3.0, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) {
            const dim_t channel = i / tap * K_ + std::min(i % tap, K_ - 1);
            const s32 x =
                load_s32(zero_points_.dtype, values, offset0 + (zero_points_.mask ? channel : 0));
            if (x < low || x > low + 255) fits = false;
            padding[i] = static_cast<char>(x);
        }
    });
    return fits;
}

} // namespace dnnl::impl::cpu
