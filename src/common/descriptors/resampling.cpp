// SPDX-License-Identifier: Apache-2.0
// Checks of resampling descriptors.
#include "common/descriptors/resampling.hpp"

#include <cmath>

#include "common/descriptors/describe.hpp"
#include "common/descriptors/spatial.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

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

void check_extents(const resampling_desc &desc, const char *src_name, const char *dst_name) {
    const memory_desc &src = desc.src, &dst = desc.dst;
    check_images(src, dst, name, src_name, dst_name);
    for (int d = 2; d < src.ndims; ++d)
        require_tensor(src.dims[d] > 0 || dst.dims[d] == 0, name, dst_name,
            "an extent is not 0 where the source's is");
}

/// Takes layouts from the forward pass, or from the other tensor.
void follow(resampling_desc &desc, const resampling_desc *hint) {
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
    const bool forward = is_forward(prop);
    require(forward || prop == dnnl_backward_data,
        "resampling: prop_kind is not a propagation kind of this call");
    require(alg == dnnl_resampling_nearest || alg == dnnl_resampling_linear,
        "resampling: alg_kind is not an algorithm of resampling");
    const char *src_name = forward ? "src" : "diff_src", *dst_name = forward ? "dst" : "diff_dst";
    resampling_desc desc;
    desc.prop = prop;
    desc.alg = alg;
    desc.src =
        checked_tensor(name, src_name, src, forward ? +defined_only : may_be_any | is_written);
    for (int d = 0; factors && d < desc.src.ndims - 2 && d < 3; ++d)
        require(factors[d] > 0 && std::isfinite(factors[d]),
            "resampling: factors: one is not positive and finite");
    require(!is_absent(dst) || forward, "resampling: diff_dst_desc: must be given");
    require(
        !is_absent(dst) || factors, "resampling: factors and dst_desc: one of them must be given");
    if (is_absent(dst)) {
        require_tensor(desc.src.ndims >= 3 && desc.src.ndims <= 5, name, src_name,
            "it must have 3, 4 or 5 dimensions");
        desc.dst = dst_by_factors(desc.src, factors);
    } else {
        desc.dst =
            checked_tensor(name, dst_name, dst, forward ? may_be_any | is_written : +may_be_any);
    }
    check_tensors_of(desc, [&] {
        check_extents(desc, src_name, dst_name);
        check_factors(desc, factors);
    });
    for (int d = 2; d < desc.src.ndims; ++d)
        desc.factors[static_cast<std::size_t>(d - 2)] =
            desc.src.dims[d] == 0 ? 1.0f
                                  : static_cast<float>(static_cast<double>(desc.dst.dims[d]) /
                                                       static_cast<double>(desc.src.dims[d]));
    if (!forward) follow(desc, hint);
    return desc;
}

resampling_shape shape_of(const resampling_desc &desc) {
    const int ndims = desc.src.ndims;
    const auto extent = [ndims](const memory_desc &md, int from_end) {
        return ndims - from_end >= 2 ? md.dims[ndims - from_end] : 1;
    };
    return {
        .spatial_ndims = ndims - 2,
        .MB = desc.src.dims[0],
        .C = desc.src.dims[1],
        .ID = extent(desc.src, 3),
        .IH = extent(desc.src, 2),
        .IW = extent(desc.src, 1),
        .OD = extent(desc.dst, 3),
        .OH = extent(desc.dst, 2),
        .OW = extent(desc.dst, 1),
    };
}

} // namespace dnnl::impl
