// SPDX-License-Identifier: Apache-2.0
// Checks of convolution descriptors.
#include "common/descriptors/convolution.hpp"

#include "common/descriptors/describe.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
/// How errors call the tensors of this direction.
struct tensor_names {
    const char *src, *weights, *bias, *dst;
};
tensor_names names_of(dnnl_prop_kind_t prop) {
    if (prop == dnnl_backward_data) return {"diff_src", "weights", "bias", "diff_dst"};
    if (prop == dnnl_backward_weights) return {"src", "diff_weights", "diff_bias", "diff_dst"};
    return {"src", "weights", "bias", "dst"};
}

void take_tensors(convolution_desc &desc, const char *name, const convolution_tensors &given) {
    const tensor_names n = names_of(desc.prop);
    const bool backward_data = desc.prop == dnnl_backward_data;
    const bool backward_weights = desc.prop == dnnl_backward_weights;
    const unsigned written = may_be_any | is_written;
    desc.src = checked_tensor(name, n.src, given.src, backward_data ? written : may_be_any);
    desc.weights =
        checked_tensor(name, n.weights, given.weights, backward_weights ? written : may_be_any);
    desc.dst = checked_tensor(name, n.dst, given.dst, is_forward(desc.prop) ? written : may_be_any);
    if (!is_absent(given.bias))
        desc.bias =
            checked_tensor(name, n.bias, given.bias, backward_weights ? written : may_be_any);
}

void check_channels(const convolution_desc &desc, const char *name) {
    const tensor_names n = names_of(desc.prop);
    const memory_desc &src = desc.src, &weights = desc.weights, &dst = desc.dst;
    const int grouped = weights.ndims - src.ndims;
    const dim_t G = grouped ? weights.dims[0] : 1;
    const dim_t OC = weights.dims[grouped], IC = weights.dims[grouped + 1];
    require_tensor(G > 0 && OC > 0 && IC > 0, name, n.weights, "channels or groups are 0");
    require_tensor(src.dims[1] == checked_mul(G, IC), name, n.weights,
        "the input channels differ from the source's");
    require_tensor(dst.dims[1] == checked_mul(G, OC), name, n.weights,
        "the output channels differ from the destination's");
    require_tensor(src.dims[0] == dst.dims[0], name, n.dst, "the batch differs from the source's");
    if (desc.bias.is_zero()) return;
    require_tensor(desc.bias.ndims == 1, name, n.bias, "it must have one dimension");
    require_tensor(desc.bias.dims[0] == dst.dims[1], name, n.bias,
        "its length differs from the number of output channels");
}

void check_ranks(const convolution_desc &desc, const char *name) {
    const tensor_names n = names_of(desc.prop);
    const int ndims = desc.src.ndims;
    require_tensor(ndims >= 3 && ndims <= 5, name, n.src, "it must have 3, 4 or 5 dimensions");
    require_tensor(desc.dst.ndims == ndims, name, n.dst, "its rank differs from the source's");
    require_tensor(desc.weights.ndims == ndims || desc.weights.ndims == ndims + 1, name, n.weights,
        "its rank must be the source's, or one more with groups");
}

void check_extents(const convolution_desc &desc) {
    constexpr const char *name = "convolution";
    const tensor_names n = names_of(desc.prop);
    const int grouped = desc.weights.ndims - desc.src.ndims;
    for (int d = 0; d < desc.src.ndims - 2; ++d) {
        const dim_t K = desc.weights.dims[d + 2 + grouped];
        require_tensor(K > 0, name, n.weights, "a kernel extent is 0");
        const dim_t O = output_extent(desc.src.dims[d + 2], K, desc.strides[d], desc.dilates[d],
            desc.padding_l[d], desc.padding_r[d]);
        check_extent(O, desc.dst.dims[d + 2], name, n.dst);
    }
}
} // namespace

void take_tensors_and_window(convolution_desc &desc, const char *name,
    const convolution_tensors &tensors, const window_parameters &given) {
    take_tensors(desc, name, tensors);
    check_tensors_of(desc, [&] { check_ranks(desc, name); });
    const window w = make_window(name, desc.src.ndims - 2, given);
    desc.strides = w.strides;
    desc.dilates = w.dilates;
    desc.padding_l = w.padding_l;
    desc.padding_r = w.padding_r;
    check_tensors_of(desc, [&] { check_channels(desc, name); });
}

convolution_desc make_convolution_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const convolution_tensors &tensors, const window_parameters &given) {
    require(is_forward(prop) || prop == dnnl_backward_data || prop == dnnl_backward_weights,
        "convolution: prop_kind is not a propagation kind of this call");
    require(alg == dnnl_convolution_direct || alg == dnnl_convolution_winograd ||
                alg == dnnl_convolution_auto,
        "convolution: alg_kind is not an algorithm of convolution");
    convolution_desc desc;
    desc.prop = prop;
    desc.alg = dnnl_convolution_direct; // also what `auto` chooses
    take_tensors_and_window(desc, "convolution", tensors, given);
    check_tensors_of(desc, [&] { check_extents(desc); });
    require_implemented(alg != dnnl_convolution_winograd,
        "convolution: alg_kind: there is no Winograd implementation");
    return desc;
}

convolution_shape shape_of(const convolution_desc &desc) {
    const int spatial = desc.src.ndims - 2, grouped = desc.weights.ndims - desc.src.ndims;
    // Value of spatial dimension d (0 depth, 1 height, 2 width) of a list aligned at its end.
    const auto at = [spatial](const dims_t &list, int first, int d, dim_t missing) {
        const int index = d - (3 - spatial);
        return index < 0 ? missing : list[first + index];
    };
    const dims_t &I = desc.src.dims, &O = desc.dst.dims, &K = desc.weights.dims;
    const int k = 2 + grouped;
    const dims_t &S = desc.strides, &D = desc.dilates, &P = desc.padding_l, &R = desc.padding_r;
    return {
        .spatial_ndims = spatial,
        .has_groups = grouped != 0,
        .MB = I[0],
        .G = grouped ? K[0] : 1,
        .IC = K[grouped + 1],
        .OC = K[grouped],
        .ID = at(I, 2, 0, 1),
        .IH = at(I, 2, 1, 1),
        .IW = at(I, 2, 2, 1),
        .OD = at(O, 2, 0, 1),
        .OH = at(O, 2, 1, 1),
        .OW = at(O, 2, 2, 1),
        .KD = at(K, k, 0, 1),
        .KH = at(K, k, 1, 1),
        .KW = at(K, k, 2, 1),
        .SD = at(S, 0, 0, 1),
        .SH = at(S, 0, 1, 1),
        .SW = at(S, 0, 2, 1),
        .DD = at(D, 0, 0, 0),
        .DH = at(D, 0, 1, 0),
        .DW = at(D, 0, 2, 0),
        .PD = at(P, 0, 0, 0),
        .PH = at(P, 0, 1, 0),
        .PW = at(P, 0, 2, 0),
        .PD_R = at(R, 0, 0, 0),
        .PH_R = at(R, 0, 1, 0),
        .PW_R = at(R, 0, 2, 0),
    };
}

} // namespace dnnl::impl
