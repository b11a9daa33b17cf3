// SPDX-License-Identifier: Apache-2.0
// Checks and facts of pooling.
#include "common/descriptors/pooling.hpp"

#include <algorithm>

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "pooling";

/// True when every window along one dimension covers an element inside [0, I). O windows of K
/// elements at distance D + 1, the first at -P.
bool covers_elements(dim_t I, dim_t O, dim_t K, dim_t S, dim_t D, dim_t P) {
    if (O == 0) return true;
    if ((O - 1) * S - P >= I) return false; // the last window starts after the end
    // Only windows that start before 0 remain; their starts repeat modulo the step.
    const dim_t step = D + 1, before = std::min({O, div_up(P, S), step});
    for (dim_t o = 0; o < before; ++o) {
        const dim_t k = div_up(P - o * S, step);
        if (k >= K || o * S - P + k * step >= I) return false;
    }
    return true;
}

void check_extents(const pooling_desc &desc) {
    for (int d = 0; d < desc.src.ndims - 2; ++d) {
        const dim_t I = desc.src.dims[d + 2], K = desc.kernel[d], S = desc.strides[d];
        const dim_t D = desc.dilation[d], P = desc.padding_l[d];
        const dim_t O = output_extent(I, K, S, D, P, desc.padding_r[d]);
        check_extent(O, desc.dst.dims[d + 2], name, dst_name(desc));
        require(desc.alg != dnnl_pooling_avg_exclude_padding || covers_elements(I, O, K, S, D, P),
            "pooling: padding_l, padding_r: a window lies in the padding alone, its average has no "
            "elements");
    }
}

/// The number of elements of the kernel, at most what an s32 of the workspace counts.
dim_t checked_volume(const pooling_desc &desc) {
    dim_t volume = 1;
    for (int d = 0; d < desc.src.ndims - 2; ++d) {
        require(desc.kernel[d] >= 1, "pooling: kernel: an extent is below 1");
        require(desc.kernel[d] <= INT32_MAX / volume, "pooling: kernel: it has too many elements");
        volume *= desc.kernel[d];
    }
    return volume;
}

/// Takes workspace and layouts from the forward pass.
void follow_hint(pooling_desc &desc, const pooling_desc *hint) {
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
    require_propagation(name, prop);
    require(alg == dnnl_pooling_max || alg == dnnl_pooling_avg_include_padding ||
                alg == dnnl_pooling_avg_exclude_padding,
        "pooling: alg_kind is not an algorithm of pooling");
    pooling_desc desc;
    desc.prop = prop;
    desc.alg = alg;
    take_src(desc, name, src);
    take_dst(desc, name, dst);
    check_tensors_of(
        desc, [&] { check_images(desc.src, desc.dst, name, src_name(desc), dst_name(desc)); });
    const int ndims = desc.src.ndims;
    require(kernel, "pooling: kernel is null");
    std::copy_n(kernel, ndims - 2, desc.kernel.begin());
    const dim_t volume = checked_volume(desc);
    const window w = make_window(name, ndims - 2, given);
    desc.strides = w.strides;
    desc.dilation = w.dilates;
    desc.padding_l = w.padding_l;
    desc.padding_r = w.padding_r;
    check_tensors_of(desc, [&] { check_extents(desc); });
    if (prop == dnnl_forward_training && alg == dnnl_pooling_max)
        desc.workspace = make_any(
            desc.dst.ndims, desc.dst.dims.data(), volume < 256 ? data_type::u8 : data_type::s32);
    if (!is_forward(prop)) follow_hint(desc, hint);
    return desc;
}

pooling_shape shape_of(const pooling_desc &desc) {
    const int spatial = desc.src.ndims - 2;
    pooling_shape s {};
    s.spatial_ndims = spatial;
    s.MB = desc.src.dims[0];
    s.C = desc.src.dims[1];
    spread({&s.ID, &s.IH, &s.IW}, &desc.src.dims[2], spatial, 1);
    spread({&s.OD, &s.OH, &s.OW}, &desc.dst.dims[2], spatial, 1);
    spread({&s.KD, &s.KH, &s.KW}, desc.kernel.data(), spatial, 1);
    spread({&s.SD, &s.SH, &s.SW}, desc.strides.data(), spatial, 1);
    spread({&s.DD, &s.DH, &s.DW}, desc.dilation.data(), spatial, 0);
    spread({&s.PD, &s.PH, &s.PW}, desc.padding_l.data(), spatial, 0);
    return s;
}

const primitive_facts<pooling_desc> pooling_desc::facts {
    .kind = dnnl_pooling,
    .attributes = {.post_ops = eltwises | binaries},
    .arguments =
        [](pooling_desc &d, argument_list &list) {
            if (is_forward(d.prop)) {
                list_mapping(d, list);
                return list.output(DNNL_ARG_WORKSPACE, d.workspace);
            }
            list.input(DNNL_ARG_DIFF_DST, d.dst);
            list.input(DNNL_ARG_WORKSPACE, d.workspace);
            list.output(DNNL_ARG_DIFF_SRC, d.src);
        },
    .layouts = follow_each_other,
    .items =
        [](item_list<pooling_desc> &list) {
            add_src_and_dst(list);
            list.add("ws", &pooling_desc::workspace);
        },
    .shape =
        [](const pooling_desc &d) {
            return fmt::format("mb{}ic{}{}", d.src.dims[0], d.src.dims[1],
                window_text(
                    d.src, d.dst, d.kernel.data(), {d.strides, d.dilation, d.padding_l, {}}));
        },
};

} // namespace dnnl::impl
