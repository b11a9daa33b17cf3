// SPDX-License-Identifier: Apache-2.0
// What batch, layer and group normalization check alike (specification: "Batch Normalization",
// "Layer Normalization", "Group Normalization").
#pragma once

#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// The arguments that the creation functions of the three have in common. backward: src is
/// diff_src, dst is diff_dst, data the forward src (null in forward).
struct normalization_request {
    dnnl_prop_kind_t prop;
    const memory_desc *src, *dst, *data;
    float epsilon;
    unsigned flags;
};

/// Fills what the three share, but for the statistics and the vectors. `allowed`: the flags that
/// the primitive knows. Throws error(invalid_arguments) where descriptors or flags are wrong.
void fill_normalization(normalization_desc &desc, const char *primitive,
    const normalization_request &request, unsigned allowed);

/// Takes layouts from the forward pass; null: nothing. Throws error(invalid_arguments) when it
/// belongs to another problem.
void follow_forward(
    normalization_desc &desc, const char *primitive, const normalization_desc *forward);

/// Sets the descriptors of scale and shift, and of their gradients, to vectors [channels].
void set_vectors(
    normalization_desc &desc, dim_t channels, data_type scale_shift, data_type diff_scale_shift);

/// The tensor whose dims the problem has: src, or in backward the forward src.
inline const memory_desc &source_of(const normalization_desc &desc) {
    return is_forward(desc.prop) ? desc.src : desc.data;
}

/// Why no row takes the types of a layer or group normalization; null when they are fine.
const char *mixed_types_refusal(const normalization_desc &desc);
/// The same for batch normalization, with the layouts of its gradients.
const char *batch_normalization_refusal(const normalization_desc &desc);

} // namespace dnnl::impl
