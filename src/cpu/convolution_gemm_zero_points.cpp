// SPDX-License-Identifier: Apache-2.0
// Convolution on the blocked GEMM: zero points of the source. Taps in the padding read them, and
// what they sum up to is taken off the sums: the compensation.
#include <algorithm>

#include "common/data_type.hpp"
#include "cpu/convolution_gemm.hpp"

namespace dnnl::impl::cpu {

/// zero_point * column sum for every channel of the result.
const s32 *gemm_convolution::compensation(
    const exec_context &ctx, const char *weights, s32 zero_point) const {
    const memory_desc &w = weights_.wanted();
    const auto *sums = reinterpret_cast<const s32 *>(weights + w.elements_bytes());
    const dim_t padded = w.padded_dims[shape_.has_groups ? 1 : 0];
    s32 *out = ctx.scratch(compensation_);
    for (dim_t g = 0; g < shape_.G; ++g)
        for (dim_t n = 0; n < N_; ++n) out[g * N_ + n] = zero_point * sums[g * padded + n];
    return out;
}

/// The same per phase, for zero points per channel of src, too: what a window in the padding alone
/// sums up to, the product of a row of zero points with the weights.
const s32 *gemm_convolution::compensation(const exec_context &ctx, const execution &e) const {
    s32 *out = ctx.scratch(compensation_);
    driver_.begin();
    for (std::size_t p = 0; p < phases_.size(); ++p)
        for (dim_t g = 0; g < shape_.G; ++g) {
            const dim_t tap = phases_[p].gather.tap_size();
            for (dim_t first = 0; first < phases_[p].gather.row_size(); first += tap)
                std::copy_n(e.padding + g * tap, tap, e.rows + first);
            gemm_task t = task_of(e, {p, g, 0, 1, 0, N_});
            t.a = e.rows;
            t.m = 1;
            t.finish = nullptr;
            t.dst = out + (static_cast<dim_t>(p) * shape_.G + g) * N_;
            if (phases_[p].runs() == 0)
                std::fill_n(static_cast<s32 *>(t.dst), N_, 0);
            else
                driver_.run(t);
        }
    driver_.end(nullptr);
    return out;
}

/// Taps of zero points. False when one lies outside the range of src's type.
bool gemm_convolution::fill_padding(const exec_context &ctx) const {
    const int arg = DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC;
    const void *values = ctx.in<void>(arg);
    const dim_t offset0 = ctx.desc(arg).offset0, tap = phases_[0].gather.tap_size();
    const s32 low = src_.wanted().dtype == data_type::u8 ? 0 : -128;
    char *padding = ctx.scratch(padding_);
    for (dim_t g = 0; g < shape_.G; ++g)
        for (dim_t c = 0; c < tap; ++c) {
            const dim_t channel = g * K_ + std::min(c, K_ - 1);
            const s32 x =
                load_s32(zero_points_.dtype, values, offset0 + (zero_points_.mask ? channel : 0));
            if (x < low || x > low + 255) return false;
            padding[g * tap + c] = static_cast<char>(x);
        }
    return true;
}

} // namespace dnnl::impl::cpu
