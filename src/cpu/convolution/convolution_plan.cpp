// SPDX-License-Identifier: Apache-2.0
#include "cpu/convolution/convolution_plan.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/kernels/convolution/depthwise.hpp"

namespace dnnl::impl::cpu {

memory_desc weights_in_order(
    memory_desc md, bool has_groups, int k_dim, int n_dim, std::span<const inner_block> blocks) {
    std::array<int, max_ndims> order {};
    std::size_t count = has_groups ? 1 : 0;
    for (int d = has_groups ? 3 : 2; d < md.ndims; ++d) order[count++] = d;
    order[count++] = k_dim;
    order[count++] = n_dim;
    md.offset0 = 0;
    md.column_sums_mask = 0;
    set_blocked_layout(md, std::span<const int>(order.data(), count), blocks);
    return md;
}

const char *depthwise_refusal(const convolution_desc &op) {
    const convolution_shape s = shape_of(op);
    if (!s.has_groups || s.IC != 1 || s.OC != 1)
        return "groups do not have one input and one output channel each";
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    return nullptr;
}

memory_desc depthwise_weights_layout(memory_desc md) {
    const bool integer = is_int8(md.dtype);
    const inner_block blocks[] {
        {0, depthwise_block(integer)}, {md.ndims - 1, depthwise_tap_group(integer)}};
    return weights_in_order(md, true, 1, 2, std::span<const inner_block>(blocks, integer ? 2 : 1));
}

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

dim_t weights_gradient_chunks(dim_t sums, dim_t pixels, dim_t most) {
    constexpr dim_t few_sums = dim_t {256} << 10, pixels_of_chunk = 2048;
    return sums <= few_sums ? std::clamp<dim_t>(pixels / pixels_of_chunk, 1, most) : 1;
}

void store_channel_sums(const memory_desc &md, void *to, const ordered_sums<f32> &sums) {
    sums.add_up(md.dims[0],
        [&](dim_t c, f32 sum) { store_f32(md.dtype, to, md.offset0 + c * md.strides[0], sum); });
}

bool is_byte(data_type type, s32 value) {
    const s32 low = type == data_type::u8 ? 0 : -128;
    return value >= low && value <= low + 255;
}

convolution_plan::convolution_plan(const problem &p)
    : shape_(shape_of(std::get<convolution_desc>(p.op))), threads_(max_threads()) {
    const dnnl_prop_kind_t prop = std::get<convolution_desc>(p.op).prop;
    forward_ = prop != dnnl_backward_data;
    if (prop == dnnl_backward_weights)
        arguments_ = {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST};
    else if (forward_)
        arguments_ = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    else
        arguments_ = {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC};
}

void convolution_plan::adapt(
    problem &p, const memory_desc &src, const memory_desc &weights, const memory_desc &dst) {
    using use = adapted_tensor::use;
    const auto &op = std::get<convolution_desc>(p.op);
    const bool gradient = arguments_.weights == DNNL_ARG_DIFF_WEIGHTS;
    const use of_result = gradient                   ? use::read
                          : has_sum(p.attr.post_ops) ? use::update
                                                     : use::write;
    src_ = adapted_tensor(p, source(op), src, use::read);
    weights_ = adapted_tensor(p, op.weights, weights, gradient ? use::write : use::read);
    dst_ = adapted_tensor(p, result(op), dst, of_result);
    for (const adapted_tensor *t : {&src_, &weights_, &dst_})
        if (t->why_not()) why_not_ = t->why_not();
}

convolution_plan::tensors convolution_plan::begin(const exec_context &ctx) const {
    const auto first = [&](const adapted_tensor &t, int arg) {
        return static_cast<char *>(t.begin(ctx, ctx.data(arg)));
    };
    return {first(src_, arguments_.src), first(weights_, arguments_.weights),
        first(dst_, arguments_.dst)};
}

void convolution_plan::end(const exec_context &ctx) const {
    weights_.end(ctx, ctx.data(arguments_.weights));
    dst_.end(ctx, ctx.data(arguments_.dst));
}

} // namespace dnnl::impl::cpu
