// SPDX-License-Identifier: Apache-2.0
// Checks of descriptors of local response normalization.
#include "common/descriptors/lrn.hpp"

#include "common/descriptors/describe.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "lrn";

bool has_image_rank(const memory_desc &md) { return md.ndims >= 2 && md.ndims <= 5; }

void take_forward(lrn_desc &desc, const memory_desc *src, const memory_desc *dst) {
    desc.src = checked_tensor(name, "src", src, defined_only);
    desc.dst = checked_tensor(name, "dst", dst, may_be_any | is_written);
}

void check_forward(const lrn_desc &desc) {
    require_tensor(same_dims(desc.src, desc.dst), name, "dst", "its dims differ from src's");
    require_implemented(desc.src.dtype == desc.dst.dtype, "lrn: dst: its type differs from src's");
    require_implemented(desc.dst.is_any() || same_layout(desc.src, desc.dst),
        "lrn: dst: its layout differs from src's");
    require_tensor(has_image_rank(desc.src), name, "src", "it must have 2, 3, 4 or 5 dimensions");
}

void take_backward(
    lrn_desc &desc, const memory_desc *src, const memory_desc *dst, const memory_desc *data) {
    desc.data = checked_tensor(name, "src", data, defined_only);
    desc.src = checked_tensor(name, "diff_src", src, may_be_any | is_written);
    desc.dst = checked_tensor(name, "diff_dst", dst, may_be_any);
}

void check_backward(const lrn_desc &desc) {
    require_tensor(same_dims(desc.data, desc.src), name, "diff_src", "its dims differ from src's");
    require_tensor(same_dims(desc.data, desc.dst), name, "diff_dst", "its dims differ from src's");
    require_implemented(desc.src.dtype == desc.data.dtype && desc.dst.dtype == desc.data.dtype,
        "lrn: diff_src, diff_dst: their types differ from src's");
    require_tensor(
        has_image_rank(desc.src), name, "diff_src", "it must have 2, 3, 4 or 5 dimensions");
}
} // namespace

lrn_desc make_lrn_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, const lrn_parameters &given) {
    const bool forward = is_forward(prop);
    require(forward || prop == dnnl_backward_data,
        "lrn: prop_kind is not a propagation kind of this call");
    require(alg == dnnl_lrn_across_channels || alg == dnnl_lrn_within_channel,
        "lrn: alg_kind is not an algorithm of lrn");
    require(given.local_size >= 1, "lrn: local_size is below 1");
    lrn_desc desc;
    desc.prop = prop;
    desc.alg = alg;
    desc.local_size = given.local_size;
    desc.alpha = given.alpha;
    desc.beta = given.beta;
    desc.k = given.k;
    if (forward)
        take_forward(desc, src, dst);
    else
        take_backward(desc, src, dst, data);
    check_tensors_of(desc, [&] { forward ? check_forward(desc) : check_backward(desc); });
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
    for (int d = 0; d < (across ? 1 : spatial); ++d)
        elements *= static_cast<double>(desc.local_size);
    return {spatial, md.dims[0], md.dims[1], extent(3), extent(2), extent(1), across,
        (desc.local_size - 1) / 2, static_cast<double>(desc.alpha) / elements};
}

} // namespace dnnl::impl
