// SPDX-License-Identifier: Apache-2.0
// Checks of inner product descriptors.
#include "common/descriptors/inner_product.hpp"

#include "common/descriptors/describe.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "inner_product";

inner_product_desc take_tensors(dnnl_prop_kind_t prop, const convolution_tensors &given) {
    const bool data = prop == dnnl_backward_data, weights = prop == dnnl_backward_weights;
    const unsigned written = may_be_any | is_written;
    inner_product_desc desc;
    desc.prop = prop;
    desc.src =
        checked_tensor(name, data ? "diff_src" : "src", given.src, data ? written : may_be_any);
    desc.weights = checked_tensor(
        name, weights ? "diff_weights" : "weights", given.weights, weights ? written : may_be_any);
    const bool forward = is_forward(prop);
    desc.dst = checked_tensor(
        name, forward ? "dst" : "diff_dst", given.dst, forward ? written : may_be_any);
    if (!is_absent(given.bias))
        desc.bias = checked_tensor(
            name, weights ? "diff_bias" : "bias", given.bias, weights ? written : may_be_any);
    return desc;
}

void check_shapes(const inner_product_desc &desc) {
    const memory_desc &src = desc.src, &weights = desc.weights, &dst = desc.dst;
    const char *src_name = desc.prop == dnnl_backward_data ? "diff_src" : "src";
    const char *weights_name = desc.prop == dnnl_backward_weights ? "diff_weights" : "weights";
    const char *dst_name = is_forward(desc.prop) ? "dst" : "diff_dst";

    require_tensor(
        src.ndims >= 2 && src.ndims <= 5, name, src_name, "it must have 2 to 5 dimensions");
    require_tensor(
        weights.ndims == src.ndims, name, weights_name, "its rank differs from the source's");
    require_tensor(dst.ndims == 2, name, dst_name, "it must have 2 dimensions");
    require_tensor(src.dims[1] > 0, name, src_name, "it has no channels");
    require_tensor(weights.dims[0] > 0, name, weights_name, "it has no output channels");
    for (int d = 1; d < src.ndims; ++d)
        require_tensor(weights.dims[d] == src.dims[d], name, weights_name,
            d == 1 ? "the input channels differ from the source's"
                   : "a spatial extent differs from the source's");
    require_tensor(
        dst.dims[0] == src.dims[0], name, dst_name, "the batch differs from the source's");
    require_tensor(dst.dims[1] == weights.dims[0], name, dst_name,
        "the output channels differ from those of the weights");
    if (!desc.bias.is_zero())
        require_tensor(desc.bias.ndims == 1 && desc.bias.dims[0] == weights.dims[0], name,
            desc.prop == dnnl_backward_weights ? "diff_bias" : "bias",
            "it must have one dimension, of the number of output channels");
}
} // namespace

inner_product_desc make_inner_product_desc(
    dnnl_prop_kind_t prop, const convolution_tensors &tensors) {
    require(is_forward(prop) || prop == dnnl_backward_data || prop == dnnl_backward_weights,
        "inner_product: prop_kind is not a propagation kind of this call");
    const inner_product_desc desc = take_tensors(prop, tensors);
    check_tensors_of(desc, [&] { check_shapes(desc); });
    return desc;
}

inner_product_shape shape_of(const inner_product_desc &desc) {
    const int spatial = desc.src.ndims - 2;
    const auto extent = [&](int d) { // 0 depth, 1 height, 2 width
        const int index = d - (3 - spatial);
        return index < 0 ? dim_t {1} : desc.src.dims[2 + index];
    };
    return {
        .spatial_ndims = spatial,
        .MB = desc.src.dims[0],
        .IC = desc.src.dims[1],
        .OC = desc.weights.dims[0],
        .ID = extent(0),
        .IH = extent(1),
        .IW = extent(2),
    };
}

} // namespace dnnl::impl
