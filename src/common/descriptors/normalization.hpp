// SPDX-License-Identifier: Apache-2.0
// Batch, layer and group normalization: their descriptors, checked (specification: "Batch
// Normalization", "Layer Normalization", "Group Normalization").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// The arguments that the creation functions of the three have in common. backward: src is
/// diff_src, dst is diff_dst, data the forward src (null in forward).
struct normalization_request {
    const memory_desc *src, *dst, *data;
    float epsilon;
    unsigned flags;
};

/// hint: the forward pass, for backward; needed where a relu is fused, whose workspace it carries.
/// Throws error(invalid_arguments) where shapes, flags or the hint disagree, error(unimplemented)
/// for a fused relu without a hint and for fuse_norm_add_relu.
batch_normalization_desc make_batch_normalization_desc(dnnl_prop_kind_t prop,
    const normalization_request &request, const batch_normalization_desc *hint);

/// What layer normalization alone has. statistics: dims of src but the last; absent or `any`: laid
/// out as src.
struct layer_normalization_types {
    const memory_desc *statistics;
    data_type scale_shift = data_type::f32, diff_scale_shift = data_type::f32;
};

/// hint: the forward pass, for backward, or null; so for groups. Throws error(invalid_arguments)
/// where shapes, flags or the hint disagree.
layer_normalization_desc make_layer_normalization_desc(dnnl_prop_kind_t prop,
    const normalization_request &request, const layer_normalization_types &types,
    const layer_normalization_desc *hint);
group_normalization_desc make_group_normalization_desc(dnnl_prop_kind_t prop,
    const normalization_request &request, dim_t groups, const group_normalization_desc *hint);

/// The descriptor of statistics whose elements follow each other as those of `tensor` do, dense.
memory_desc statistics_like(const memory_desc &tensor);

/// The tensor whose dims the problem has: src, or in backward the forward src.
inline const memory_desc &source_of(const normalization_desc &desc) {
    return is_forward(desc.prop) ? desc.src : desc.data;
}

/// Why no row takes the types of a layer or group normalization; null when they are fine.
const char *types_refusal(const normalization_desc &desc);
/// The same for batch normalization, with the layouts of its gradients.
const char *types_refusal(const batch_normalization_desc &desc);

} // namespace dnnl::impl
