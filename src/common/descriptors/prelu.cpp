// SPDX-License-Identifier: Apache-2.0
// Checks of prelu descriptors.
#include "common/descriptors/prelu.hpp"

#include "common/descriptors/describe.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

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

void check_dst(const prelu_desc &desc, const char *dst_name) {
    const bool forward = is_forward(desc.prop);
    require_tensor(
        same_dims(desc.src, desc.dst), name, dst_name, "its dims differ from the source's");
    require_implemented(
        desc.dst.dtype == desc.src.dtype, forward ? "prelu: dst: its type differs from src's"
                                                  : "prelu: diff_dst: its type differs from src's");
    require_implemented(!forward || desc.dst.is_any() || same_layout(desc.src, desc.dst),
        "prelu: dst: its layout differs from src's");
}

void check_gradients(const prelu_desc &desc) {
    require_tensor(
        same_dims(desc.src, desc.diff_src), name, "diff_src", "its dims differ from the source's");
    require_tensor(same_dims(desc.weights, desc.diff_weights), name, "diff_weights",
        "its dims differ from the weights'");
    require_implemented(
        desc.diff_src.dtype == desc.src.dtype, "prelu: diff_src: its type differs from src's");
}
} // namespace

prelu_desc make_prelu_desc(dnnl_prop_kind_t prop, const prelu_tensors &tensors) {
    const bool forward = is_forward(prop);
    require(forward || prop == dnnl_backward,
        "prelu: prop_kind is not a propagation kind of this call");
    prelu_desc desc;
    desc.prop = prop;
    desc.src = checked_tensor(name, "src", tensors.src, defined_only);
    desc.weights = checked_tensor(name, "weights", tensors.weights, may_be_any);
    check_tensors_of(desc, [&] { check_weights(desc.src, desc.weights); });
    const char *dst_name = forward ? "dst" : "diff_dst";
    desc.dst = checked_tensor(
        name, dst_name, tensors.dst, forward ? may_be_any | is_written : +may_be_any);
    check_tensors_of(desc, [&] { check_dst(desc, dst_name); });
    if (forward) return desc;
    desc.diff_src = checked_tensor(name, "diff_src", tensors.diff_src, may_be_any | is_written);
    desc.diff_weights =
        checked_tensor(name, "diff_weights", tensors.diff_weights, may_be_any | is_written);
    check_tensors_of(desc, [&] { check_gradients(desc); });
    return desc;
}

} // namespace dnnl::impl
