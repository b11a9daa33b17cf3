// SPDX-License-Identifier: Apache-2.0
// Checks of group normalization.
#include "common/descriptors/group_normalization.hpp"

#include <string>

#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "group_normalization";
}

group_normalization_desc make_group_normalization_desc(
    const normalization_request &request, dim_t groups, const group_normalization_desc *hint) {
    group_normalization_desc desc;
    fill_normalization(
        desc, name, request, dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift);
    require(groups >= 1, "group_normalization: groups is below 1");
    const dim_t channels = desc.dst.dims[1];
    if (channels % groups != 0)
        throw error(
            dnnl_invalid_arguments, "group_normalization: groups: " + std::to_string(groups) +
                                        " does not divide C = " + std::to_string(channels));
    require(!hint || hint->groups == groups,
        "group_normalization: hint_fwd_pd is not the forward pass of this problem");
    desc.groups = groups;
    const dim_t dims[] {desc.dst.dims[0], groups};
    desc.statistics = make_with_strides(2, dims, data_type::f32, nullptr);
    set_vectors(desc, channels, data_type::f32, data_type::f32);
    follow_forward(desc, name, hint);
    return desc;
}

} // namespace dnnl::impl
