// SPDX-License-Identifier: Apache-2.0
// Checks and facts of prelu.
#include "common/descriptors/elementwise.hpp"

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "prelu";

void check_weights(const memory_desc &src, const memory_desc &weights) {
    require_tensor(
        weights.ndims == src.ndims, name, "weights", "its rank differs from the source's");
    for (int d = 0; d < src.ndims; ++d)
        require_tensor(weights.dims[d] == 1 || weights.dims[d] == src.dims[d], name, "weights",
            "a dimension is neither the source's nor 1");
}

void check_dst(const prelu_desc &desc) {
    const bool forward = is_forward(desc.prop);
    require_same_dims(desc.dst, desc.src, name, dst_name(desc), "the source");
    require_implemented(
        desc.dst.dtype == desc.src.dtype, forward ? "prelu: dst: its type differs from src's"
                                                  : "prelu: diff_dst: its type differs from src's");
    require_implemented(!forward || desc.dst.is_any() || same_layout(desc.src, desc.dst),
        "prelu: dst: its layout differs from src's");
}

void check_gradients(const prelu_desc &desc) {
    require_same_dims(desc.diff_src, desc.src, name, "diff_src", "the source");
    require_tensor(same_dims(desc.weights, desc.diff_weights), name, "diff_weights",
        "its dims differ from the weights'");
    require_implemented(
        desc.diff_src.dtype == desc.src.dtype, "prelu: diff_src: its type differs from src's");
}
} // namespace

prelu_desc make_prelu_desc(dnnl_prop_kind_t prop, const prelu_tensors &tensors) {
    require_propagation(name, prop, dnnl_backward);
    prelu_desc desc;
    desc.prop = prop;
    desc.src = checked_tensor(name, "src", tensors.src, defined_only);
    desc.weights = checked_tensor(name, "weights", tensors.weights, may_be_any);
    check_tensors_of(desc, [&] { check_weights(desc.src, desc.weights); });
    take_dst(desc, name, tensors.dst);
    check_tensors_of(desc, [&] { check_dst(desc); });
    if (is_forward(prop)) return desc;
    desc.diff_src = checked_tensor(name, "diff_src", tensors.diff_src, may_be_any | is_written);
    desc.diff_weights =
        checked_tensor(name, "diff_weights", tensors.diff_weights, may_be_any | is_written);
    check_tensors_of(desc, [&] { check_gradients(desc); });
    return desc;
}

const primitive_facts<prelu_desc> prelu_desc::facts {
    .kind = dnnl_prelu,
    .arguments =
        [](prelu_desc &d, argument_list &list) {
            list.input(DNNL_ARG_SRC, d.src);
            list.input(DNNL_ARG_WEIGHTS, d.weights);
            if (is_forward(d.prop)) return list.output(DNNL_ARG_DST, d.dst);
            list.input(DNNL_ARG_DIFF_DST, d.dst);
            list.output(DNNL_ARG_DIFF_SRC, d.diff_src);
            list.output(DNNL_ARG_DIFF_WEIGHTS, d.diff_weights);
        },
    .layouts =
        [](prelu_desc &d) {
            for (memory_desc *weights : {&d.weights, &d.diff_weights})
                follow_broadcast(*weights, d.src);
            follow(d.dst, {&d.src});
            follow(d.diff_src, {&d.src});
        },
    .items =
        [](item_list<prelu_desc> &list) {
            list.add("data", &prelu_desc::src).add("wei", &prelu_desc::weights);
            if (is_forward(list.op.prop))
                list.add("diff", {}, {});
            else
                list.add("diff", &prelu_desc::diff_src).add("diff_wei", &prelu_desc::diff_weights);
        },
    .shape = [](const prelu_desc &d) { return extents(d.src) + ':' + extents(d.weights); },
};

} // namespace dnnl::impl
