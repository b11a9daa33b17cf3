// SPDX-License-Identifier: Apache-2.0
// Checks and facts of deconvolution, and the convolutions that compute it or a depthwise post-op.

#include <algorithm>

#include "common/descriptors/primitive_facts.hpp"
#include "common/descriptors/products/shapes.hpp"

namespace dnnl::impl {

namespace {
/// (I - 1) * S + 1 + (K - 1) * (D + 1) - PL - PR; none when the arithmetic overflows.
std::optional<dim_t> transposed_extent(dim_t I, dim_t K, const deconvolution_desc &desc, int d) {
    const auto reach = checked_mul(checked_add(desc.dilates[d], 1), K - 1);
    if (!reach) return std::nullopt;
    const auto whole = checked_add(checked_add(checked_mul(I - 1, desc.strides[d]), *reach), 1);
    return checked_add(checked_add(whole, -desc.padding_l[d]), -desc.padding_r[d]);
}

void check_extents(const deconvolution_desc &desc) {
    const int grouped = desc.weights.ndims - desc.src.ndims;
    const product_tensor_names n(desc.prop);
    for (int d = 0; d < desc.src.ndims - 2; ++d) {
        const dim_t I = desc.src.dims[d + 2], O = desc.dst.dims[d + 2];
        const dim_t K = desc.weights.dims[d + 2 + grouped];
        require_tensor(K > 0, desc, n.weights, "a kernel extent is 0");
        const auto expected = transposed_extent(I, K, desc, d);
        // The destination may be longer than the windows by up to a stride less one elements.
        const bool fits = expected && O >= *expected && O - *expected < desc.strides[d];
        if ((I != 0 || O != 0) && !fits) check_extent(expected.value_or(-1), O, desc, n.dst);
    }
}
} // namespace

deconvolution_desc make_deconvolution_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const convolution_tensors &tensors, const window_parameters &given) {
    require(alg == dnnl_deconvolution_direct || alg == dnnl_deconvolution_winograd,
        "deconvolution: alg_kind is not an algorithm of deconvolution");
    deconvolution_desc desc {{.prop = prop, .alg = alg}};
    take_tensors_and_window(desc, desc, tensors, given);
    check_tensors_of(desc, [&] { check_extents(desc); });
    require_implemented(alg == dnnl_deconvolution_direct,
        "deconvolution: alg_kind: there is no Winograd implementation");
    return desc;
}

memory_desc exchange_channels(const memory_desc &weights, bool has_groups) {
    memory_desc md = weights;
    const int first = has_groups ? 1 : 0, second = first + 1;
    for (dims_t *list : {&md.dims, &md.padded_dims, &md.strides})
        std::swap((*list)[first], (*list)[second]);
    for (int b = 0; b < md.inner_nblks; ++b) {
        dim_t &split = md.inner_idxs[b];
        if (split == first || split == second) split = first + second - split;
    }
    const int bits = md.column_sums_mask >> first & 3;
    if (bits == 1 || bits == 2) md.column_sums_mask ^= 3 << first;
    return md;
}

convolution_desc convolution_of(const deconvolution_desc &desc) {
    convolution_desc conv = desc;
    conv.alg = dnnl_convolution_direct;
    conv.of_deconvolution = is_forward(desc.prop);
    if (conv.of_deconvolution) {
        conv.prop = dnnl_backward_data;
    } else {
        conv.bias = {};
        if (desc.prop == dnnl_backward_data) conv.prop = dnnl_forward_inference;
    }
    conv.src = desc.dst;
    conv.dst = desc.src;
    conv.weights = exchange_channels(desc.weights, desc.weights.ndims > desc.src.ndims);
    return conv;
}

void take_layouts(deconvolution_desc &desc, const convolution_desc &conv) {
    desc.src = conv.dst;
    desc.dst = conv.src;
    desc.weights = exchange_channels(conv.weights, conv.weights.ndims > conv.src.ndims);
    if (!conv.bias.is_zero()) desc.bias = conv.bias;
}

const primitive_facts<deconvolution_desc> deconvolution_desc::facts {
    .kind = dnnl_deconvolution,
    .attributes = {.post_ops = sums | eltwises | binaries | prelus,
        .scales = true,
        .zero_points = true,
        .integer_only = true,
        .or_dst = true,
        .dst_of_integers = true},
    .arguments = list_weighted,
    .layouts = [](deconvolution_desc &d) { default_convolution_layouts(d); },
    .items = add_weighted,
    .shape = [](const deconvolution_desc &d) { return convolution_text(d); },
    .takes_scale_mask = takes_channel_scales,
    .takes_zero_point_mask = takes_channel_zero_points,
};

// ---- A depthwise convolution as a post-op of a 1x1 convolution ----

std::size_t depthwise_index(const post_ops &chain) {
    const auto found = std::find_if(chain.entries.begin(), chain.entries.end(),
        [](const post_op &op) { return std::holds_alternative<depthwise_post_op>(op); });
    return std::size_t(found - chain.entries.begin());
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
    // No use reaches this bound on strides and dilations, which keeps extents within 64 bits.
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
    if (src.is_blocked() && dst_dims == src.dims) { // what was asked for, strides and offset
        dst = src;
        dst.dtype = op.dst_type;
    } else if (src.is_blocked()) {
        set_layout_like(dst, src);
    }
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
