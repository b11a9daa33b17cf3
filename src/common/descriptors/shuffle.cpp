// SPDX-License-Identifier: Apache-2.0
// Checks of shuffle descriptors.
#include "common/descriptors/shuffle.hpp"

#include <string>

#include "common/descriptors/describe.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "shuffle";

void check_groups(const shuffle_desc &desc, const char *dst_name) {
    require_tensor(
        same_dims(desc.src, desc.dst), name, dst_name, "its dims differ from the source's");
    require(desc.axis >= 0 && desc.axis < desc.src.ndims,
        "shuffle: axis is not a dimension of the tensors");
    require(desc.group_size >= 1, "shuffle: group_size is below 1");
    if (desc.src.dims[desc.axis] % desc.group_size != 0)
        throw error(
            dnnl_invalid_arguments, "shuffle: group_size: " + std::to_string(desc.group_size) +
                                        " does not divide the extent of the axis");
}

/// Takes the layout from the forward pass where neither gradient has one; without a hint both
/// become row-major.
void follow(shuffle_desc &desc, const shuffle_desc *hint) {
    if (!hint) return;
    require(same_dims(hint->src, desc.src) && hint->axis == desc.axis &&
                hint->group_size == desc.group_size,
        "shuffle: hint_fwd_pd is not the forward pass of this problem");
    if (desc.dst.is_any() && desc.src.is_any()) set_layout_like(desc.dst, hint->dst);
}
} // namespace

shuffle_desc make_shuffle_desc(dnnl_prop_kind_t prop, const memory_desc *src,
    const memory_desc *dst, int axis, dim_t group_size, const shuffle_desc *hint) {
    const bool forward = is_forward(prop);
    require(forward || prop == dnnl_backward_data,
        "shuffle: prop_kind is not a propagation kind of this call");
    const char *src_name = forward ? "src" : "diff_src", *dst_name = forward ? "dst" : "diff_dst";
    shuffle_desc desc;
    desc.prop = prop;
    desc.axis = axis;
    desc.group_size = group_size;
    desc.src =
        checked_tensor(name, src_name, src, forward ? +defined_only : may_be_any | is_written);
    desc.dst = checked_tensor(name, dst_name, dst, forward ? may_be_any | is_written : +may_be_any);
    check_tensors_of(desc, [&] { check_groups(desc, dst_name); });
    if (!forward) follow(desc, hint);
    check_tensors_of(desc, [&] {
        require_implemented(
            desc.src.dtype == desc.dst.dtype, "shuffle: dst: its type differs from the source's");
        require_implemented(
            desc.src.is_any() || desc.dst.is_any() || same_layout(desc.src, desc.dst),
            "shuffle: dst: its layout differs from the source's");
    });
    return desc;
}

shuffle_matrix matrix_of(const shuffle_desc &desc) {
    const dim_t groups = desc.src.dims[desc.axis] / desc.group_size;
    if (is_forward(desc.prop)) return {groups, desc.group_size};
    return {desc.group_size, groups};
}

} // namespace dnnl::impl
