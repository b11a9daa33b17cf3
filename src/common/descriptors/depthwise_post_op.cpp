// SPDX-License-Identifier: Apache-2.0
#include "common/descriptors/deconvolution.hpp"

#include <algorithm>

namespace dnnl::impl {

std::size_t depthwise_index(const post_ops &chain) {
    const auto found = std::find_if(chain.entries.begin(), chain.entries.end(),
        [](const post_op &op) { return std::holds_alternative<depthwise_post_op>(op); });
    return static_cast<std::size_t>(found - chain.entries.begin());
}

const char *depthwise_refusal(const convolution_desc &base, const depthwise_post_op &op) {
    if (!is_forward(base.prop)) return "a depthwise post-op belongs to a forward convolution";
    if (base.src.ndims != 4) return "a depthwise post-op needs a convolution of two dimensions";
    const convolution_shape s = shape_of(base);
    if (s.has_groups) return "a depthwise post-op needs a convolution without groups";
    if (s.KH != 1 || s.KW != 1) return "a depthwise post-op needs a kernel of 1x1";
    if (s.SH != 1 || s.SW != 1) return "a depthwise post-op needs a convolution of stride 1";
    if (s.PH != 0 || s.PW != 0 || s.PH_R != 0 || s.PW_R != 0)
        return "a depthwise post-op needs a convolution without padding";
    // Far beyond any use; keeps every product of extents inside 64 bits.
    constexpr dim_t most = 1 << 15;
    if (op.kernel > most || op.stride > most || op.padding_l > most)
        return "a number of a depthwise post-op is too large";
    return nullptr;
}

convolution_desc depthwise_convolution(const convolution_desc &base, const depthwise_post_op &op) {
    const memory_desc &src = base.dst;
    const dim_t C = src.dims[1], K = op.kernel, S = op.stride, P = op.padding_l;
    const dim_t OH = div_up(src.dims[2], S), OW = div_up(src.dims[3], S);
    const dims_t dst_dims {src.dims[0], C, OH, OW}, weights_dims {C, 1, 1, K, K};
    memory_desc dst = make_any(4, dst_dims.data(), op.dst_type);
    if (src.is_blocked()) set_layout_like(dst, src);
    memory_desc bias;
    if (op.bias_type != data_type::undef) bias = make_any(1, &C, op.bias_type);

    // The padding after the last element follows from the extents; it may be negative.
    const auto padding_r = [&](dim_t out, dim_t in) {
        return std::max<dim_t>(out - 1, 0) * S + K - in - P;
    };
    return {.prop = base.prop,
        .alg = dnnl_convolution_direct,
        .src = src,
        .weights = make_any(5, weights_dims.data(), op.weights_type),
        .bias = bias,
        .dst = dst,
        .strides = {S, S},
        .padding_l = {P, P},
        .padding_r = {padding_r(OH, src.dims[2]), padding_r(OW, src.dims[3])}};
}

primitive_attr attributes_before(const primitive_attr &attr, std::size_t index) {
    primitive_attr before = attr;
    before.post_ops.entries.resize(index, sum_post_op {});
    before.scales = {};
    for (const quantization &q : attr.scales.entries())
        if (!(q.arg & DNNL_ARG_ATTR_POST_OP_DW)) before.scales.set(q);
    return before;
}

primitive_attr attributes_after(const primitive_attr &attr, std::size_t index) {
    primitive_attr after = attr;
    auto &entries = after.post_ops.entries;
    entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(index) + 1);
    after.scales = {};
    after.zero_points = {};
    for (quantization q : attr.scales.entries()) {
        const bool own = (q.arg & DNNL_ARG_ATTR_POST_OP_DW) != 0;
        if (!own && q.arg != DNNL_ARG_DST) continue;
        q.arg = own ? q.arg & ~DNNL_ARG_ATTR_POST_OP_DW : DNNL_ARG_SRC;
        if (own && q.arg == DNNL_ARG_WEIGHTS && q.mask != 0) q.mask = 3;
        after.scales.set(q);
    }
    return after;
}

} // namespace dnnl::impl
