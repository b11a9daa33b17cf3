// SPDX-License-Identifier: Apache-2.0
// Checks of batch normalization.
#include "common/descriptors/batch_normalization.hpp"

#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "batch_normalization";
constexpr unsigned all_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift |
                               dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu;

/// Backward takes the workspace of the forward pass.
void set_workspace(batch_normalization_desc &desc, const batch_normalization_desc *hint) {
    if (!desc.has(dnnl_fuse_norm_relu)) return;
    if (desc.prop == dnnl_forward_training)
        desc.workspace = make_any(desc.dst.ndims, desc.dst.dims.data(), data_type::u8);
    if (is_forward(desc.prop)) return;
    if (!hint)
        throw error(dnnl_unimplemented,
            "batch_normalization: hint_fwd_pd is null; a fused relu needs its workspace");
    require(!hint->workspace.is_zero(),
        "batch_normalization: hint_fwd_pd has no workspace; create it with forward_training");
    desc.workspace = hint->workspace;
}
} // namespace

batch_normalization_desc make_batch_normalization_desc(
    const normalization_request &request, const batch_normalization_desc *hint) {
    batch_normalization_desc desc;
    fill_normalization(desc, name, request, all_flags);
    if (desc.has(dnnl_fuse_norm_add_relu))
        throw error(dnnl_unimplemented, "batch_normalization: flags: fuse_norm_add_relu");
    const dim_t channels = desc.dst.dims[1];
    desc.statistics = make_with_strides(1, &channels, data_type::f32, nullptr);
    set_vectors(desc, channels, data_type::f32, data_type::f32);
    follow_forward(desc, name, hint);
    set_workspace(desc, hint);
    return desc;
}

} // namespace dnnl::impl
