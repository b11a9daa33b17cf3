// SPDX-License-Identifier: Apache-2.0
// Checks and facts of pooling, resampling and local response normalization.
#include "common/descriptors/mappings/mappings.hpp"

#include <algorithm>
#include <cmath>

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
/// Throws error(invalid_arguments) unless src has 1 to 3 spatial dimensions, and dst its rank,
/// batch and channels.
template <class Desc> void check_images(const Desc &desc) {
    const memory_desc &src = desc.src, &dst = desc.dst;
    const char *dst_as_told = dst_name(desc);
    require_tensor(src.ndims >= 3 && src.ndims <= 5, desc, src_name(desc),
        "it must have 3, 4 or 5 dimensions");
    require_tensor(dst.ndims == src.ndims, desc, dst_as_told, "its rank differs from the source's");
    require_tensor(
        src.dims[0] == dst.dims[0], desc, dst_as_told, "the batch differs from the source's");
    require_tensor(
        src.dims[1] == dst.dims[1], desc, dst_as_told, "the channels differ from the source's");
}

template <class Desc> image_extents extents_of(const Desc &desc) {
    const memory_desc &src = desc.src;
    image_extents s {};
    s.spatial_ndims = src.ndims - 2;
    s.MB = src.dims[0];
    s.C = src.dims[1];
    spread({&s.ID, &s.IH, &s.IW}, &src.dims[2], s.spatial_ndims, 1);
    spread({&s.OD, &s.OH, &s.OW}, &desc.dst.dims[2], s.spatial_ndims, 1);
    return s;
}

/// True when each of O windows along one dimension covers an element inside [0, I). A window has K
/// elements at a distance of D + 1; the first one starts at -P.
bool covers_elements(dim_t I, dim_t O, dim_t K, dim_t S, dim_t D, dim_t P) {
    if (O == 0) return true;
    if ((O - 1) * S - P >= I) return false; // the last window starts after the end
    // Only windows that start before 0 may cover nothing; what they cover depends on their start
    // modulo the distance of elements.
    const dim_t step = K > 1 ? D + 1 : 1, before = std::min({O, div_up(P, S), step});
    for (dim_t o = 0; o < before; ++o) {
        const dim_t k = div_up(P - o * S, step);
        if (k >= K || o * S - P + k * step >= I) return false;
    }
    return true;
}

void check_extents(const pooling_desc &desc) {
    for (int d = 0; d < desc.src.ndims - 2; ++d) {
        const dim_t I = desc.src.dims[d + 2], K = desc.kernel[d], S = desc.strides[d];
        const dim_t D = desc.dilates[d], P = desc.padding_l[d];
        const dim_t O = output_extent(I, K, S, D, P, desc.padding_r[d]);
        check_extent(O, desc.dst.dims[d + 2], desc, dst_name(desc));
        require(desc.alg != dnnl_pooling_avg_exclude_padding || covers_elements(I, O, K, S, D, P),
            "pooling: padding_l, padding_r: a window lies in the padding alone, its average has no "
            "elements");
    }
}

/// The number of elements of the kernel, which an s32 of the workspace must be able to count.
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
                hint->strides == desc.strides && hint->dilates == desc.dilates &&
                hint->padding_l == desc.padding_l,
        "pooling: hint_fwd_pd is not the forward pass of this problem");
    require(!max || !hint->workspace.is_zero(),
        "pooling: hint_fwd_pd has no workspace; create it with forward_training");
    if (max) desc.workspace = hint->workspace;
    take_layouts_of(desc, *hint);
}

/// floor(I * factor). The product is rounded to f32, as the interface defines it.
dim_t scaled_extent(dim_t I, float factor) {
    const float extent = std::floor(static_cast<float>(I) * factor);
    require(extent < 0x1p62f, "resampling: factors: an extent of dst overflows");
    return dim_t(extent);
}

memory_desc dst_by_factors(const memory_desc &src, const float *factors) {
    memory_desc dst = make_any(src.ndims, src.dims.data(), src.dtype);
    for (int d = 2; d < src.ndims; ++d) dst.dims[d] = scaled_extent(src.dims[d], factors[d - 2]);
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
    check_images(desc);
    for (int d = 2; d < src.ndims; ++d)
        require_tensor(src.dims[d] > 0 || dst.dims[d] == 0, desc, dst_name(desc),
            "an extent is not 0 where the source's is");
}

/// Takes layouts from the forward pass; without one, each gradient takes that of the other.
void follow_hint(resampling_desc &desc, const resampling_desc *hint) {
    require(hint || !desc.dst.is_any(),
        "resampling: diff_dst: the layout must be given, it is `any` without hint_fwd_pd");
    if (!hint) return;
    require(
        hint->alg == desc.alg && same_dims(hint->src, desc.src) && same_dims(hint->dst, desc.dst),
        "resampling: hint_fwd_pd is not the forward pass of this problem");
    take_layouts_of(desc, *hint);
}
} // namespace

// ---- Pooling ----

pooling_desc make_pooling_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const dim_t *kernel, const window_parameters &given,
    const pooling_desc *hint) {
    pooling_desc desc {.prop = prop, .alg = alg};
    require(alg == dnnl_pooling_max || alg == dnnl_pooling_avg_include_padding ||
                alg == dnnl_pooling_avg_exclude_padding,
        "pooling: alg_kind is not an algorithm of pooling");
    take_src(desc, src);
    take_dst(desc, dst);
    check_tensors_of(desc, [&] { check_images(desc); });
    require(kernel, "pooling: kernel is null");
    std::copy_n(kernel, desc.src.ndims - 2, desc.kernel.begin());
    const dim_t volume = checked_volume(desc);
    take_window(desc, desc, given);
    check_tensors_of(desc, [&] { check_extents(desc); });
    if (prop == dnnl_forward_training && alg == dnnl_pooling_max)
        desc.workspace = make_any(
            desc.dst.ndims, desc.dst.dims.data(), volume < 256 ? data_type::u8 : data_type::s32);
    if (!is_forward(prop)) follow_hint(desc, hint);
    return desc;
}

pooling_shape shape_of(const pooling_desc &desc) {
    pooling_shape s {};
    static_cast<image_extents &>(s) = extents_of(desc);
    spread_window(s, desc.kernel.data(), desc);
    return s;
}

const primitive_facts<pooling_desc> pooling_desc::facts {
    .kind = dnnl_pooling,
    .attributes = {.post_ops = eltwises | binaries},
    .items =
        [](item_list<pooling_desc> &list) {
            add_src_and_dst(list);
            list.add("ws", &pooling_desc::workspace);
        },
    .shape =
        [](const pooling_desc &d) {
            return fmt::format(
                "mb{}ic{}{}", d.src.dims[0], d.src.dims[1], window_text(d, d.kernel.data()));
        },
};

// ---- Resampling ----

resampling_desc make_resampling_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
    const float *factors, const memory_desc *src, const memory_desc *dst,
    const resampling_desc *hint) {
    resampling_desc desc {.prop = prop, .alg = alg};
    require(alg == dnnl_resampling_nearest || alg == dnnl_resampling_linear,
        "resampling: alg_kind is not an algorithm of resampling");
    take_src(desc, src);
    for (int d = 0; factors && d < desc.src.ndims - 2 && d < 3; ++d)
        require(factors[d] > 0 && std::isfinite(factors[d]),
            "resampling: factors: one is not positive and finite");
    require(!is_absent(dst) || is_forward(prop), "resampling: diff_dst_desc: must be given");
    require(
        !is_absent(dst) || factors, "resampling: factors and dst_desc: one of them must be given");
    if (is_absent(dst)) {
        require_tensor(desc.src.ndims >= 3 && desc.src.ndims <= 5, desc, src_name(desc),
            "it must have 3, 4 or 5 dimensions");
        desc.dst = dst_by_factors(desc.src, factors);
    } else {
        take_dst(desc, dst);
    }
    check_tensors_of(desc, [&] {
        check_extents(desc);
        check_factors(desc, factors);
    });
    for (int d = 0; d < desc.src.ndims - 2; ++d) {
        const auto I = double(desc.src.dims[d + 2]);
        const auto O = double(desc.dst.dims[d + 2]);
        desc.factors[d] = I == 0 ? 1.0f : static_cast<float>(O / I);
    }
    if (!is_forward(prop)) follow_hint(desc, hint);
    return desc;
}

resampling_shape shape_of(const resampling_desc &desc) { return extents_of(desc); }

const primitive_facts<resampling_desc> resampling_desc::facts {
    .kind = dnnl_resampling,
    .attributes = {.post_ops = sums | eltwises | binaries},
    .shape =
        [](const resampling_desc &d) {
            std::string text = fmt::format("mb{}ic{}", d.src.dims[0], d.src.dims[1]);
            for (int i = 2; i < d.src.ndims; ++i)
                text += fmt::format("_i{0}{1}o{0}{2}", spatial_letter(d.src.ndims, i),
                    d.src.dims[i], d.dst.dims[i]);
            return text;
        },
};

// ---- Local response normalization ----

lrn_desc make_lrn_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, const lrn_parameters &given) {
    lrn_desc desc {.prop = prop,
        .alg = alg,
        .local_size = given.local_size,
        .alpha = given.alpha,
        .beta = given.beta,
        .k = given.k};
    require(alg == dnnl_lrn_across_channels || alg == dnnl_lrn_within_channel,
        "lrn: alg_kind is not an algorithm of lrn");
    require(given.local_size >= 1, "lrn: local_size is below 1");
    take_mapping(desc, src, dst, data, "src");
    check_tensors_of(desc, [&] {
        check_types_of_mapping(desc, "src");
        require_tensor(desc.src.ndims >= 2 && desc.src.ndims <= 5, desc, src_name(desc),
            "it must have 2, 3, 4 or 5 dimensions");
    });
    return desc;
}

lrn_shape shape_of(const lrn_desc &desc) {
    const memory_desc &md = desc.src;
    const int spatial = md.ndims - 2;
    const auto extent = [&](int from_end) {
        return from_end <= spatial ? md.dims[md.ndims - from_end] : 1;
    };
    const bool across = desc.alg == dnnl_lrn_across_channels;
    double elements = 1;
    for (int d = 0; d < (across ? 1 : spatial); ++d) elements *= double(desc.local_size);
    return {spatial, md.dims[0], md.dims[1], extent(3), extent(2), extent(1), across,
        (desc.local_size - 1) / 2, double(desc.alpha) / elements};
}

const primitive_facts<lrn_desc> lrn_desc::facts {
    .kind = dnnl_lrn,
    .items = add_data_and_diff,
    .shape =
        [](const lrn_desc &d) {
            return fmt::format("{}ls{}beta{:g}", image_text(d.src), d.local_size, d.beta);
        },
};

} // namespace dnnl::impl
