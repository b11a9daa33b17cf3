// SPDX-License-Identifier: Apache-2.0
// Checks and facts of deconvolution, and the convolution that computes it.
#include "common/descriptors/deconvolution.hpp"

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
/// (I - 1) * S + 1 + (K - 1) * (D + 1) - PL - PR; none when the arithmetic overflows.
std::optional<dim_t> transposed_extent(dim_t I, dim_t K, const deconvolution_desc &desc, int d) {
    const auto step = checked_add(desc.dilates[d], 1);
    if (!step) return std::nullopt;
    const auto reach = checked_mul(K - 1, *step);
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
        if (I != 0 || O != 0) check_extent(expected.value_or(-1), O, desc, n.dst);
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
        .dst_of_integers = true},
    .arguments = list_weighted,
    .layouts = [](deconvolution_desc &d) { default_convolution_layouts(d); },
    .items = add_weighted,
    .shape = [](const deconvolution_desc &d) { return convolution_text(d); },
    .takes_scale_mask = takes_channel_scales,
    .takes_zero_point_mask = takes_channel_zero_points,
};

} // namespace dnnl::impl
