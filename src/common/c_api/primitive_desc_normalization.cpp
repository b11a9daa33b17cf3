// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of batch, layer and group normalization.
#include "common/c_api/create.hpp"
#include "common/descriptors/batch_normalization.hpp"
#include "common/descriptors/group_normalization.hpp"
#include "common/descriptors/layer_normalization.hpp"

using dnnl::impl::batch_normalization_desc;
using dnnl::impl::create_primitive_desc;
using dnnl::impl::creation;
using dnnl::impl::data_type;
using dnnl::impl::forward_hint;
using dnnl::impl::group_normalization_desc;
using dnnl::impl::is_forward;
using dnnl::impl::layer_normalization_desc;
using dnnl::impl::layer_normalization_types;
using dnnl::impl::make_batch_normalization_desc;
using dnnl::impl::make_group_normalization_desc;
using dnnl::impl::make_layer_normalization_desc;
using dnnl::impl::normalization_request;
using dnnl::impl::require;

dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float epsilon,
    unsigned flags, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_batch_normalization}, [&] {
        require(is_forward(prop_kind), "batch_normalization: prop_kind is not a forward kind");
        return make_batch_normalization_desc(
            {prop_kind, src_desc, dst_desc, nullptr, epsilon, flags}, nullptr);
    });
}

dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, float epsilon, unsigned flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_batch_normalization}, [&] {
        require(!is_forward(prop_kind), "batch_normalization: prop_kind is not a backward kind");
        return make_batch_normalization_desc(
            {prop_kind, diff_src_desc, diff_dst_desc, src_desc, epsilon, flags},
            forward_hint<batch_normalization_desc>(hint_fwd_pd));
    });
}

dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups,
    float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_group_normalization}, [&] {
        require(is_forward(prop_kind), "group_normalization: prop_kind is not a forward kind");
        return make_group_normalization_desc(
            {prop_kind, src_desc, dst_desc, nullptr, epsilon, flags}, groups, nullptr);
    });
}

dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, dnnl_dim_t groups, float epsilon, unsigned flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_group_normalization}, [&] {
        require(!is_forward(prop_kind), "group_normalization: prop_kind is not a backward kind");
        return make_group_normalization_desc(
            {prop_kind, diff_src_desc, diff_dst_desc, src_desc, epsilon, flags}, groups,
            forward_hint<group_normalization_desc>(hint_fwd_pd));
    });
}

namespace {
dnnl_status_t create_layer_forward(const creation &call, const normalization_request &request,
    const layer_normalization_types &types) {
    return create_primitive_desc(call, [&] {
        require(is_forward(request.prop), "layer_normalization: prop_kind is not a forward kind");
        return make_layer_normalization_desc(request, types, nullptr);
    });
}

dnnl_status_t create_layer_backward(const creation &call, const normalization_request &request,
    const layer_normalization_types &types, const_dnnl_primitive_desc_t hint_fwd_pd) {
    return create_primitive_desc(call, [&] {
        require(!is_forward(request.prop), "layer_normalization: prop_kind is not a backward kind");
        return make_layer_normalization_desc(
            request, types, forward_hint<layer_normalization_desc>(hint_fwd_pd));
    });
}
} // namespace

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned flags,
    const_dnnl_primitive_attr_t attr) {
    return create_layer_forward({primitive_desc, engine, attr, dnnl_layer_normalization},
        {prop_kind, src_desc, dst_desc, nullptr, epsilon, flags}, {stat_desc});
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc, float epsilon,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_layer_backward({primitive_desc, engine, attr, dnnl_layer_normalization},
        {prop_kind, diff_src_desc, diff_dst_desc, src_desc, epsilon, flags}, {stat_desc},
        hint_fwd_pd);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_memory_desc_t stat_desc, dnnl_data_type_t scale_shift_data_type, float epsilon,
    unsigned flags, const_dnnl_primitive_attr_t attr) {
    return create_layer_forward({primitive_desc, engine, attr, dnnl_layer_normalization},
        {prop_kind, src_desc, dst_desc, nullptr, epsilon, flags},
        {stat_desc, static_cast<data_type>(scale_shift_data_type)});
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc,
    dnnl_data_type_t diff_scale_shift_data_type, dnnl_data_type_t scale_shift_data_type,
    float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    return create_layer_backward({primitive_desc, engine, attr, dnnl_layer_normalization},
        {prop_kind, diff_src_desc, diff_dst_desc, src_desc, epsilon, flags},
        {stat_desc, static_cast<data_type>(scale_shift_data_type),
            static_cast<data_type>(diff_scale_shift_data_type)},
        hint_fwd_pd);
}
