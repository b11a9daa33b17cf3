// SPDX-License-Identifier: Apache-2.0
// Checks and facts of convolution.
#include "common/descriptors/products/shapes.hpp"

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
/// Throws unless a tensor has as many channels as G groups of C on this side (input or output).
/// `whose` is its name in the reason.
void check_count(dim_t G, dim_t C, dim_t given, const char *side, named_primitive name,
    const char *tensor, const char *whose) {
    if (given == checked_mul(G, C)) return;
    const std::string groups = G > 1 ? fmt::format("{} groups of ", G) : "";
    const std::string what =
        fmt::format("{}{} {} channels do not fit {}, which has {}", groups, C, side, whose, given);
    require_tensor(false, name, tensor, what.c_str());
}

void check_channels(const convolution_desc &desc, named_primitive name) {
    const product_tensor_names n(desc.prop);
    const memory_desc &src = desc.src, &weights = desc.weights, &dst = desc.dst;
    const int grouped = weights.ndims - src.ndims;
    const dim_t G = grouped ? weights.dims[0] : 1;
    const dim_t OC = weights.dims[grouped], IC = weights.dims[grouped + 1];
    require_tensor(G > 0 && OC > 0 && IC > 0, name, n.weights, "channels or groups are 0");
    check_count(G, IC, src.dims[1], "input", name, n.weights, n.src);
    check_count(G, OC, dst.dims[1], "output", name, n.weights, n.dst);
    require_tensor(!is_4bit(weights.dtype) || IC % 2 == 0, name, n.weights,
        "the input channels must be even where elements have 4 bits");
    require_tensor(src.dims[0] == dst.dims[0], name, n.dst, "the batch differs from the source's");
    if (desc.bias.is_zero()) return;
    require_tensor(desc.bias.ndims == 1, name, n.bias, "it must have one dimension");
    require_tensor(desc.bias.dims[0] == dst.dims[1], name, n.bias,
        "its length differs from the number of output channels");
}

void check_ranks(const convolution_desc &desc, named_primitive name) {
    const product_tensor_names n(desc.prop);
    const int ndims = desc.src.ndims;
    require_tensor(ndims >= 3 && ndims <= 5, name, n.src, "it must have 3, 4 or 5 dimensions");
    require_tensor(desc.dst.ndims == ndims, name, n.dst, "its rank differs from the source's");
    require_tensor(desc.weights.ndims == ndims || desc.weights.ndims == ndims + 1, name, n.weights,
        "its rank must be the source's, or one more with groups");
}

void check_extents(const convolution_desc &desc) {
    const product_tensor_names n(desc.prop);
    const int grouped = desc.weights.ndims - desc.src.ndims;
    for (int d = 0; d < desc.src.ndims - 2; ++d) {
        const dim_t K = desc.weights.dims[d + 2 + grouped];
        require_tensor(K > 0, desc, n.weights, "a kernel extent is 0");
        const dim_t O = output_extent(desc.src.dims[d + 2], K, desc.strides[d], desc.dilates[d],
            desc.padding_l[d], desc.padding_r[d]);
        check_extent(O, desc.dst.dims[d + 2], desc, n.dst);
    }
}
} // namespace

void take_tensors_and_window(convolution_desc &desc, named_primitive primitive,
    const convolution_tensors &tensors, const window_parameters &given) {
    take_product_tensors(desc, primitive, tensors);
    check_tensors_of(desc, [&] { check_ranks(desc, primitive); });
    take_window(desc, primitive, given);
    check_tensors_of(desc, [&] { check_channels(desc, primitive); });
}

convolution_desc make_convolution_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const convolution_tensors &tensors, const window_parameters &given) {
    require(alg == dnnl_convolution_direct || alg == dnnl_convolution_winograd ||
                alg == dnnl_convolution_auto,
        "convolution: alg_kind is not an algorithm of convolution");
    convolution_desc desc {
        .prop = prop, .alg = dnnl_convolution_direct}; // also what `auto` chooses
    take_tensors_and_window(desc, desc, tensors, given);
    check_tensors_of(desc, [&] { check_extents(desc); });
    require_implemented(alg != dnnl_convolution_winograd,
        "convolution: alg_kind: there is no Winograd implementation");
    return desc;
}

convolution_shape shape_of(const convolution_desc &desc) {
    const int spatial = desc.src.ndims - 2, grouped = desc.weights.ndims - desc.src.ndims;
    const dims_t &I = desc.src.dims, &O = desc.dst.dims, &W = desc.weights.dims;
    convolution_shape s {};
    s.spatial_ndims = spatial;
    s.has_groups = grouped != 0;
    s.MB = I[0];
    s.G = grouped ? W[0] : 1;
    s.IC = W[grouped + 1];
    s.OC = W[grouped];
    spread({&s.ID, &s.IH, &s.IW}, &I[2], spatial, 1);
    spread({&s.OD, &s.OH, &s.OW}, &O[2], spatial, 1);
    spread_window(s, &W[2 + grouped], desc);
    spread({&s.PD_R, &s.PH_R, &s.PW_R}, desc.padding_r.data(), spatial, 0);
    return s;
}

void default_convolution_layouts(convolution_desc &d) {
    follow(d.src, {&d.dst});
    follow(d.dst, {&d.src});
    make_plain(d.weights);
    make_plain(d.bias);
}

std::string convolution_text(const convolution_desc &d) {
    const int grouped = d.weights.ndims == d.src.ndims + 1;
    const dim_t G = grouped ? d.weights.dims[0] : 1;
    return fmt::format("{}mb{}_ic{}oc{}{}", G > 1 ? fmt::format("g{}", G) : "", d.src.dims[0],
        d.src.dims[1], d.dst.dims[1], window_text(d, &d.weights.dims[2 + grouped]));
}

const primitive_facts<convolution_desc> convolution_desc::facts {
    .kind = dnnl_convolution,
    .attributes = {.post_ops = sums | eltwises | binaries | prelus | depthwises,
        .scales = true,
        .zero_points = true,
        .integer_only = true,
        .or_dst = true,
        .dst_of_integers = true,
        .stochastic_rounding = offered_attributes::of_floats},
    .arguments = list_weighted,
    .layouts = default_convolution_layouts,
    .items = add_weighted,
    .shape = convolution_text,
    .takes_scale_mask =
        [](const convolution_desc &d, const quantization &q) {
            return takes_channel_scales(d, q) || (q.arg == DNNL_ARG_DST && q.mask == 2);
        },
    .takes_zero_point_mask = takes_channel_zero_points,
    .destination = [](const convolution_desc &d) -> const memory_desc & {
        return d.of_deconvolution ? d.src : d.dst;
    },
};

} // namespace dnnl::impl
