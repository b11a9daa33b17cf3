// SPDX-License-Identifier: Apache-2.0
// Checks and facts of softmax.
#include "common/descriptors/elementwise.hpp"

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "softmax";

void check_axis(const softmax_desc &desc) {
    if (desc.axis >= 0 && desc.axis < desc.src.ndims) return;
    throw error(dnnl_invalid_arguments,
        "softmax: axis " + std::to_string(desc.axis) + " is not a dimension of the tensors");
}
} // namespace

softmax_desc make_softmax_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, int axis) {
    require_propagation(name, prop);
    require(alg == dnnl_softmax_accurate || alg == dnnl_softmax_log,
        "softmax: alg_kind is not an algorithm of softmax");
    softmax_desc desc;
    desc.prop = prop;
    desc.alg = alg;
    desc.axis = axis;
    take_mapping(desc, name, src, dst, data, "dst");
    check_tensors_of(desc, [&] { check_axis(desc); });
    return desc;
}

softmax_shape shape_of(const softmax_desc &desc) {
    softmax_shape shape {1, desc.src.dims[desc.axis], 1};
    for (int d = 0; d < desc.axis; ++d) shape.outer *= desc.src.dims[d];
    for (int d = desc.axis + 1; d < desc.src.ndims; ++d) shape.inner *= desc.src.dims[d];
    return shape;
}

const primitive_facts<softmax_desc> softmax_desc::facts {
    .kind = dnnl_softmax,
    .attributes = {.post_ops = eltwises | binaries,
        .scales = true,
        .integer_only = true,
        .or_integer_dst = true},
    .arguments = [](softmax_desc &d, argument_list &list) { list_mapping(d, list, DNNL_ARG_DST); },
    .layouts = follow_each_other,
    .items =
        [](item_list<softmax_desc> &list) {
            list.add("src", &softmax_desc::src);
            if (is_forward(list.op.prop))
                list.add("dst", &softmax_desc::dst);
            else
                list.add("dst", &softmax_desc::data).add("diff_dst", &softmax_desc::dst);
        },
    .parameters =
        [](const softmax_desc &d) { return fmt::format("{} axis:{}", algorithm_text(d), d.axis); },
};

} // namespace dnnl::impl
