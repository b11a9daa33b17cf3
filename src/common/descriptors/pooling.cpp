// SPDX-License-Identifier: Apache-2.0
// Checks of pooling descriptors.
#include "common/descriptors/pooling.hpp"

#include <algorithm>

#include "common/descriptors/describe.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "pooling";

/// True when every window along one dimension covers an element inside [0, I). O windows of K
/// elements at distance D + 1, the first at -P.
bool covers_elements(dim_t I, dim_t O, dim_t K, dim_t S, dim_t D, dim_t P) {
    if (O == 0) return true;
    if ((O - 1) * S - P >= I) return false; // the last window starts behind the end
    // Only windows that start before 0 remain; their starts repeat modulo the step.
    const dim_t step = D + 1, before = std::min({O, div_up(P, S), step});
    for (dim_t o = 0; o < before; ++o) {
        const dim_t k = div_up(P - o * S, step);
        if (k >= K || o * S - P + k * step >= I) return false;
    }
    return true;
}

void check_extents(const pooling_desc &desc, const char *dst_name) {
    for (int d = 0; d < desc.src.ndims - 2; ++d) {
        const dim_t I = desc.src.dims[d + 2], K = desc.kernel[d], S = desc.strides[d];
        const dim_t D = desc.dilation[d], P = desc.padding_l[d];
        const dim_t O = output_extent(I, K, S, D, P, desc.padding_r[d]);
        check_extent(O, desc.dst.dims[d + 2], name, dst_name);
        require(desc.alg != dnnl_pooling_avg_exclude_padding || covers_elements(I, O, K, S, D, P),
            "pooling: padding_l, padding_r: a window lies in the padding alone, its average has no "
            "elements");
    }
}

memory_desc workspace_of(const pooling_desc &desc) {
    dim_t volume = 1;
    for (int d = 0; d < desc.src.ndims - 2; ++d) {
        const auto product = checked_mul(volume, desc.kernel[d]);
        require(product && *product <= INT32_MAX, "pooling: kernel: it has too many elements");
        volume = *product;
    }
    return make_any(
        desc.dst.ndims, desc.dst.dims.data(), volume < 256 ? data_type::u8 : data_type::s32);
}

/// Takes workspace and layouts from the forward pass.
void follow(pooling_desc &desc, const pooling_desc *hint) {
    const bool max = desc.alg == dnnl_pooling_max;
    require(hint || !max, "pooling: hint_fwd_pd is null; backward max needs its workspace");
    if (!hint) return;
    require(is_forward(hint->prop) && hint->alg == desc.alg && same_dims(hint->src, desc.src) &&
                same_dims(hint->dst, desc.dst) && hint->kernel == desc.kernel &&
                hint->strides == desc.strides && hint->dilation == desc.dilation &&
                hint->padding_l == desc.padding_l,
        "pooling: hint_fwd_pd is not the forward pass of this problem");
    require(!max || !hint->workspace.is_zero(),
        "pooling: hint_fwd_pd has no workspace; create it with forward_training");
    if (max) desc.workspace = hint->workspace;
    if (desc.src.is_any()) set_layout_like(desc.src, hint->src);
    if (desc.dst.is_any()) set_layout_like(desc.dst, hint->dst);
}
} // namespace

pooling_desc make_pooling_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const dim_t *kernel, const window_parameters &given,
    const pooling_desc *hint) {
    const bool forward = is_forward(prop);
    require(forward || prop == dnnl_backward_data,
        "pooling: prop_kind is not a propagation kind of this call");
    require(alg == dnnl_pooling_max || alg == dnnl_pooling_avg_include_padding ||
                alg == dnnl_pooling_avg_exclude_padding,
        "pooling: alg_kind is not an algorithm of pooling");
    const char *src_name = forward ? "src" : "diff_src", *dst_name = forward ? "dst" : "diff_dst";
    pooling_desc desc;
    desc.prop = prop;
    desc.alg = alg;
    desc.src =
        checked_tensor(name, src_name, src, forward ? +defined_only : may_be_any | is_written);
    desc.dst = checked_tensor(name, dst_name, dst, forward ? may_be_any | is_written : +may_be_any);

    check_tensors_of(desc, [&] { check_images(desc.src, desc.dst, name, src_name, dst_name); });
    const int ndims = desc.src.ndims;
    require(kernel, "pooling: kernel is null");
    std::copy_n(kernel, ndims - 2, desc.kernel.begin());
    for (int d = 0; d < ndims - 2; ++d)
        require(desc.kernel[d] >= 1, "pooling: kernel: an extent is below 1");
    const window w = make_window(name, ndims - 2, given);
    desc.strides = w.strides;
    desc.dilation = w.dilates;
    desc.padding_l = w.padding_l;
    desc.padding_r = w.padding_r;
    check_tensors_of(desc, [&] { check_extents(desc, dst_name); });
    if (prop == dnnl_forward_training && alg == dnnl_pooling_max)
        desc.workspace = workspace_of(desc);
    if (!forward) follow(desc, hint);
    return desc;
}

pooling_shape shape_of(const pooling_desc &desc) {
    const int spatial = desc.src.ndims - 2;
    // Value of spatial dimension d (0 depth, 1 height, 2 width) of a list aligned at its end.
    const auto at = [spatial](const dims_t &list, int first, int d, dim_t missing) {
        const int index = d - (3 - spatial);
        return index < 0 ? missing : list[first + index];
    };
    const dims_t &I = desc.src.dims, &O = desc.dst.dims, &K = desc.kernel;
    const dims_t &S = desc.strides, &D = desc.dilation, &P = desc.padding_l;
    return {
        .spatial_ndims = spatial,
        .MB = I[0],
        .C = I[1],
        .ID = at(I, 2, 0, 1),
        .IH = at(I, 2, 1, 1),
        .IW = at(I, 2, 2, 1),
        .OD = at(O, 2, 0, 1),
        .OH = at(O, 2, 1, 1),
        .OW = at(O, 2, 2, 1),
        .KD = at(K, 0, 0, 1),
        .KH = at(K, 0, 1, 1),
        .KW = at(K, 0, 2, 1),
        .SD = at(S, 0, 0, 1),
        .SH = at(S, 0, 1, 1),
        .SW = at(S, 0, 2, 1),
        .DD = at(D, 0, 0, 0),
        .DH = at(D, 0, 1, 0),
        .DW = at(D, 0, 2, 0),
        .PD = at(P, 0, 0, 0),
        .PH = at(P, 0, 1, 0),
        .PW = at(P, 0, 2, 0),
    };
}

} // namespace dnnl::impl
