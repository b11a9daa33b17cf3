// SPDX-License-Identifier: Apache-2.0
// Checks and facts of shuffle.
#include "common/descriptors/movement.hpp"

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "shuffle";

void check_groups(const shuffle_desc &desc) {
    require_same_dims(desc.dst, desc.src, name, dst_name(desc), "the source");
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
void follow_hint(shuffle_desc &desc, const shuffle_desc *hint) {
    if (!hint) return;
    require(same_dims(hint->src, desc.src) && hint->axis == desc.axis &&
                hint->group_size == desc.group_size,
        "shuffle: hint_fwd_pd is not the forward pass of this problem");
    if (desc.dst.is_any() && desc.src.is_any()) set_layout_like(desc.dst, hint->dst);
}
} // namespace

shuffle_desc make_shuffle_desc(dnnl_prop_kind_t prop, const memory_desc *src,
    const memory_desc *dst, int axis, dim_t group_size, const shuffle_desc *hint) {
    require_propagation(name, prop);
    shuffle_desc desc;
    desc.prop = prop;
    desc.axis = axis;
    desc.group_size = group_size;
    take_src(desc, name, src);
    take_dst(desc, name, dst);
    check_tensors_of(desc, [&] { check_groups(desc); });
    if (!is_forward(prop)) follow_hint(desc, hint);
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

const primitive_facts<shuffle_desc> shuffle_desc::facts {
    .kind = dnnl_shuffle,
    .arguments = list_mapping,
    .layouts = follow_each_other,
    .items =
        [](item_list<shuffle_desc> &list) {
            if (is_forward(list.op.prop))
                list.add("data", &shuffle_desc::src).add("diff", {}, {});
            else
                list.add("data", &shuffle_desc::dst).add("diff", &shuffle_desc::src);
        },
    .parameters =
        [](const shuffle_desc &d) { return fmt::format("axis:{} group:{}", d.axis, d.group_size); },
};

} // namespace dnnl::impl
