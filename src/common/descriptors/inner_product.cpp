// SPDX-License-Identifier: Apache-2.0
// Checks and facts of inner product.
#include "common/descriptors/inner_product.hpp"

#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/tensor_checks.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "inner_product";

void check_shapes(const inner_product_desc &desc) {
    const memory_desc &src = desc.src, &weights = desc.weights, &dst = desc.dst;
    const product_tensor_names n(desc.prop);
    require_tensor(src.ndims >= 2 && src.ndims <= 5, name, n.src, "it must have 2 to 5 dimensions");
    require_tensor(
        weights.ndims == src.ndims, name, n.weights, "its rank differs from the source's");
    require_tensor(dst.ndims == 2, name, n.dst, "it must have 2 dimensions");
    require_tensor(src.dims[1] > 0, name, n.src, "it has no channels");
    require_tensor(weights.dims[0] > 0, name, n.weights, "it has no output channels");
    for (int d = 1; d < src.ndims; ++d)
        require_tensor(weights.dims[d] == src.dims[d], name, n.weights,
            d == 1 ? "the input channels differ from the source's"
                   : "a spatial extent differs from the source's");
    require_tensor(dst.dims[0] == src.dims[0], name, n.dst, "the batch differs from the source's");
    require_tensor(dst.dims[1] == weights.dims[0], name, n.dst,
        "the output channels differ from those of the weights");
    if (!desc.bias.is_zero())
        require_tensor(desc.bias.ndims == 1 && desc.bias.dims[0] == weights.dims[0], name, n.bias,
            "it must have one dimension, of the number of output channels");
}
} // namespace

inner_product_desc make_inner_product_desc(
    dnnl_prop_kind_t prop, const convolution_tensors &tensors) {
    require(is_forward(prop) || prop == dnnl_backward_data || prop == dnnl_backward_weights,
        "inner_product: prop_kind is not a propagation kind of this call");
    inner_product_desc desc;
    desc.prop = prop;
    take_product_tensors(desc, name, tensors);
    check_tensors_of(desc, [&] { check_shapes(desc); });
    return desc;
}

inner_product_shape shape_of(const inner_product_desc &desc) {
    const int spatial = desc.src.ndims - 2;
    inner_product_shape s {};
    s.spatial_ndims = spatial;
    s.MB = desc.src.dims[0];
    s.IC = desc.src.dims[1];
    s.OC = desc.weights.dims[0];
    spread({&s.ID, &s.IH, &s.IW}, &desc.src.dims[2], spatial, 1);
    return s;
}

const primitive_facts<inner_product_desc> inner_product_desc::facts {
    .kind = dnnl_inner_product,
    .attributes = {.post_ops = sums | eltwises | binaries | prelus,
        .scales = true,
        .integer_only = true},
    .arguments = list_weighted,
    .layouts =
        [](inner_product_desc &d) {
            follow(d.src, {&d.weights});
            // The order of the source's channels and extents, so that both walk K alike; its blocks
            // over the batch would make no sense for output channels.
            if (d.src.inner_nblks == 0) follow(d.weights, {&d.src});
            for (memory_desc *md : {&d.weights, &d.bias, &d.dst}) make_plain(*md);
        },
    .items = add_weighted,
    .shape =
        [](const inner_product_desc &d) {
            return fmt::format("{}oc{}", image_text(d.src), d.dst.dims[1]);
        },
    .takes_scale_mask = takes_channel_scales,
};

} // namespace dnnl::impl
