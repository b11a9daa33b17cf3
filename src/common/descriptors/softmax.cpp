// SPDX-License-Identifier: Apache-2.0
// Checks of softmax descriptors.
#include "common/descriptors/softmax.hpp"

#include <string>

#include "common/descriptors/describe.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

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
    const bool forward = is_forward(prop);
    require(forward || prop == dnnl_backward_data,
        "softmax: prop_kind is not a propagation kind of this call");
    require(alg == dnnl_softmax_accurate || alg == dnnl_softmax_log,
        "softmax: alg_kind is not an algorithm of softmax");
    softmax_desc desc;
    desc.prop = prop;
    desc.alg = alg;
    desc.axis = axis;
    if (forward) {
        desc.src = checked_tensor(name, "src", src, defined_only);
        desc.dst = checked_tensor(name, "dst", dst, may_be_any | is_written);
        check_tensors_of(desc, [&] {
            require_tensor(
                same_dims(desc.src, desc.dst), name, "dst", "its dims differ from src's");
        });
    } else {
        desc.data = checked_tensor(name, "dst", data, defined_only);
        desc.src = checked_tensor(name, "diff_src", src, may_be_any | is_written);
        desc.dst = checked_tensor(name, "diff_dst", dst, may_be_any);
        check_tensors_of(desc, [&] {
            require_tensor(
                same_dims(desc.data, desc.src), name, "diff_src", "its dims differ from dst's");
            require_tensor(
                same_dims(desc.data, desc.dst), name, "diff_dst", "its dims differ from dst's");
        });
    }
    check_tensors_of(desc, [&] { check_axis(desc); });
    return desc;
}

softmax_shape shape_of(const softmax_desc &desc) {
    softmax_shape shape {1, desc.src.dims[desc.axis], 1};
    for (int d = 0; d < desc.axis; ++d) shape.outer *= desc.src.dims[d];
    for (int d = desc.axis + 1; d < desc.src.ndims; ++d) shape.inner *= desc.src.dims[d];
    return shape;
}

} // namespace dnnl::impl
