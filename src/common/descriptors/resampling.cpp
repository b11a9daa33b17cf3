// SPDX-License-Identifier: Apache-2.0
// Checks and facts of resampling.
#include "common/descriptors/pooling.hpp"

#include <cmath>

#include "common/descriptors/primitive_facts.hpp"
#include "common/descriptors/spatial.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "resampling";

/// floor(I * factor), the product in f32 as the interface has it.
dim_t output_extent(dim_t I, float factor) {
    const float extent = std::floor(static_cast<float>(I) * factor);
    require(extent < 0x1p62f, "resampling: factors: an extent of dst overflows");
    return static_cast<dim_t>(extent);
}

memory_desc dst_by_factors(const memory_desc &src, const float *factors) {
    memory_desc dst = make_any(src.ndims, src.dims.data(), src.dtype);
    for (int d = 2; d < src.ndims; ++d) dst.dims[d] = output_extent(src.dims[d], factors[d - 2]);
    return make_any(dst.ndims, dst.dims.data(), dst.dtype);
}

void check_factors(const resampling_desc &desc, const float *factors) {
    if (!factors) return;
    for (int d = 0; d < desc.src.ndims - 2; ++d) {
        const float wanted = static_cast<float>(desc.src.dims[d + 2]) * factors[d];
        require(std::fabs(wanted - static_cast<float>(desc.dst.dims[d + 2])) < 1,
            "resampling: factors: they do not lead from the source's extents to dst's");
    }
}

void check_extents(const resampling_desc &desc) {
    const memory_desc &src = desc.src, &dst = desc.dst;
    check_images(src, dst, name, src_name(desc), dst_name(desc));
    for (int d = 2; d < src.ndims; ++d)
        require_tensor(src.dims[d] > 0 || dst.dims[d] == 0, name, dst_name(desc),
            "an extent is not 0 where the source's is");
}

/// Takes layouts from the forward pass, or from the other tensor.
void follow_hint(resampling_desc &desc, const resampling_desc *hint) {
    require(hint || !desc.dst.is_any(),
        "resampling: diff_dst: the layout must be given, it is `any` without hint_fwd_pd");
    if (!hint) return;
    require(
        hint->alg == desc.alg && same_dims(hint->src, desc.src) && same_dims(hint->dst, desc.dst),
        "resampling: hint_fwd_pd is not the forward pass of this problem");
    if (desc.src.is_any()) set_layout_like(desc.src, hint->src);
    if (desc.dst.is_any()) set_layout_like(desc.dst, hint->dst);
}
} // namespace

resampling_desc make_resampling_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const float *factors, const memory_desc *src, const memory_desc *dst,
    const resampling_desc *hint) {
    require_propagation(name, prop);
    require(alg == dnnl_resampling_nearest || alg == dnnl_resampling_linear,
        "resampling: alg_kind is not an algorithm of resampling");
    resampling_desc desc;
    desc.prop = prop;
    desc.alg = alg;
    take_src(desc, name, src);
    for (int d = 0; factors && d < desc.src.ndims - 2 && d < 3; ++d)
        require(factors[d] > 0 && std::isfinite(factors[d]),
            "resampling: factors: one is not positive and finite");
    require(!is_absent(dst) || is_forward(prop), "resampling: diff_dst_desc: must be given");
    require(
        !is_absent(dst) || factors, "resampling: factors and dst_desc: one of them must be given");
    if (is_absent(dst)) {
        require_tensor(desc.src.ndims >= 3 && desc.src.ndims <= 5, name, src_name(desc),
            "it must have 3, 4 or 5 dimensions");
        desc.dst = dst_by_factors(desc.src, factors);
    } else {
        take_dst(desc, name, dst);
    }
    check_tensors_of(desc, [&] {
        check_extents(desc);
        check_factors(desc, factors);
    });
    for (int d = 2; d < desc.src.ndims; ++d)
        desc.factors[static_cast<std::size_t>(d - 2)] =
            desc.src.dims[d] == 0 ? 1.0f
                                  : static_cast<float>(static_cast<double>(desc.dst.dims[d]) /
                                                       static_cast<double>(desc.src.dims[d]));
    if (!is_forward(prop)) follow_hint(desc, hint);
    return desc;
}

resampling_shape shape_of(const resampling_desc &desc) {
    const int spatial = desc.src.ndims - 2;
    resampling_shape s {};
    s.spatial_ndims = spatial;
    s.MB = desc.src.dims[0];
    s.C = desc.src.dims[1];
    spread({&s.ID, &s.IH, &s.IW}, &desc.src.dims[2], spatial, 1);
    spread({&s.OD, &s.OH, &s.OW}, &desc.dst.dims[2], spatial, 1);
    return s;
}

const primitive_facts<resampling_desc> resampling_desc::facts {
    .kind = dnnl_resampling,
    .attributes = {.post_ops = sums | eltwises | binaries},
    .arguments = list_mapping,
    .layouts = follow_each_other,
    .items = add_src_and_dst,
    .shape =
        [](const resampling_desc &d) {
            std::string text = fmt::format("mb{}ic{}", d.src.dims[0], d.src.dims[1]);
            for (int i = 2; i < d.src.ndims; ++i)
                text += fmt::format("_i{0}{1}o{0}{2}", spatial_letter(d.src.ndims, i),
                    d.src.dims[i], d.dst.dims[i]);
            return text;
        },
};

} // namespace dnnl::impl
