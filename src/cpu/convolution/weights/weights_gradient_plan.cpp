// SPDX-License-Identifier: Apache-2.0
// What the drivers of backward weights share: which types they take, and chunks of pixels whose
// sums are added in order.
#include <algorithm>

#include "common/descriptors/problem.hpp"
#include "cpu/convolution/convolution.hpp"
#include "cpu/gemm/gemm.hpp"

namespace dnnl::impl::cpu {

const char *weights_gradient_refusal(const problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (is_int8(op.src.dtype)) return "integer sources have no backward weights";
    if (const char *reason = gemm_types_refusal(p.target, op.src.dtype, op.dst.dtype))
        return reason;
    if (!is_float(op.weights.dtype)) return "the type of diff_weights is not supported";
    if (!op.bias.is_zero() && !is_float(op.bias.dtype))
        return "the type of diff_bias is not supported";
    if (!p.attr.has_default_values()) return "attributes are not supported";
    return nullptr;
}

void weights_gradient_plan::choose_chunks(dim_t sums, dim_t pixels, dim_t most) {
    constexpr dim_t few_sums = dim_t {256} << 10, pixels_of_chunk = 2048;
    sums_ = sums;
    chunks_ = sums <= few_sums ? std::clamp<dim_t>(pixels / pixels_of_chunk, 1, most) : 1;
}

void weights_gradient_plan::reserve_sums(problem &p, dim_t bias_sums) {
    bias_ = std::get<convolution_desc>(p.op).bias;
    bias_sums_ = bias_sums;
    more_sums_ = p.scratchpad.reserve<f32>((chunks_ - 1) * sums_);
    if (!bias_.is_zero()) all_bias_sums_ = p.scratchpad.reserve<f32>(chunks_ * bias_sums);
}

weights_gradient_plan::all_sums weights_gradient_plan::sums_of(
    const exec_context &ctx, const tensors &first) const {
    f32 *bias = bias_.is_zero() ? nullptr : ctx.scratch(all_bias_sums_);
    return {{reinterpret_cast<f32 *>(first.weights), ctx.scratch(more_sums_), chunks_, sums_},
        {bias, moved(bias, bias_sums_), chunks_, bias_sums_}};
}

void weights_gradient_plan::store(const exec_context &ctx, const all_sums &sums) const {
    sums.weights.add_up_into_first(sums_);
    end(ctx);
    if (sums.bias.first) store_channel_sums(bias_, ctx.data(DNNL_ARG_DIFF_BIAS), sums.bias);
}

void store_channel_sums(const memory_desc &md, void *to, const ordered_sums<f32> &sums) {
    sums.add_up(md.dims[0],
        [&](dim_t c, f32 sum) { store_f32(md.dtype, to, md.offset0 + c * md.strides[0], sum); });
}

} // namespace dnnl::impl::cpu
