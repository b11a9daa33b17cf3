// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of batch, layer and group normalization.
#include "common/c_api/create.hpp"
#include "common/descriptors/normalization.hpp"

using dnnl::impl::attributes;
using dnnl::impl::creation;
using dnnl::impl::data_type;
using dnnl::impl::hint_desc;
using dnnl::impl::new_desc;
using dnnl::impl::tensor;
namespace impl = dnnl::impl;

namespace {
template <class Desc, class MakeOp>
dnnl_status_t create_backward(
    const creation &call, dnnl_prop_kind_t prop, hint_desc hint, const MakeOp &make_op) {
    return impl::create_backward<Desc>(
        call, hint, make_op, impl::is_forward(prop) ? "prop_kind is not a backward kind" : nullptr);
}

dnnl_status_t create_layer_forward(const creation &call, const impl::normalization_request &request,
    const impl::layer_normalization_types &types) {
    return impl::create_forward(call, request.prop,
        [&] { return impl::make_layer_normalization_desc(request, types, nullptr); });
}

dnnl_status_t create_layer_backward(const creation &call,
    const impl::normalization_request &request, const impl::layer_normalization_types &types,
    hint_desc hint) {
    return create_backward<impl::layer_normalization_desc>(
        call, request.prop, hint, [&](auto *forward) {
            return impl::make_layer_normalization_desc(request, types, forward);
        });
}
} // namespace

dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor src, tensor dst, float epsilon,
    unsigned flags, attributes attr) {
    return impl::create_forward({out, engine, attr, dnnl_batch_normalization}, prop, [&] {
        return impl::make_batch_normalization_desc(
            {prop, src, dst, nullptr, epsilon, flags}, nullptr);
    });
}

dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor diff_src, tensor diff_dst, tensor src,
    float epsilon, unsigned flags, hint_desc hint, attributes attr) {
    const creation call {out, engine, attr, dnnl_batch_normalization};
    return create_backward<impl::batch_normalization_desc>(call, prop, hint, [&](auto *forward) {
        return impl::make_batch_normalization_desc(
            {prop, diff_src, diff_dst, src, epsilon, flags}, forward);
    });
}

dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor src, tensor dst, dnnl_dim_t groups,
    float epsilon, unsigned flags, attributes attr) {
    return impl::create_forward({out, engine, attr, dnnl_group_normalization}, prop, [&] {
        return impl::make_group_normalization_desc(
            {prop, src, dst, nullptr, epsilon, flags}, groups, nullptr);
    });
}

dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor diff_src, tensor diff_dst, tensor src,
    dnnl_dim_t groups, float epsilon, unsigned flags, hint_desc hint, attributes attr) {
    const creation call {out, engine, attr, dnnl_group_normalization};
    return create_backward<impl::group_normalization_desc>(call, prop, hint, [&](auto *forward) {
        return impl::make_group_normalization_desc(
            {prop, diff_src, diff_dst, src, epsilon, flags}, groups, forward);
    });
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor src, tensor dst, tensor statistics,
    float epsilon, unsigned flags, attributes attr) {
    return create_layer_forward({out, engine, attr, dnnl_layer_normalization},
        {prop, src, dst, nullptr, epsilon, flags}, {statistics});
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor diff_src, tensor diff_dst, tensor src,
    tensor statistics, float epsilon, unsigned flags, hint_desc hint, attributes attr) {
    return create_layer_backward({out, engine, attr, dnnl_layer_normalization},
        {prop, diff_src, diff_dst, src, epsilon, flags}, {statistics}, hint);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor src, tensor dst, tensor statistics,
    dnnl_data_type_t scale_shift, float epsilon, unsigned flags, attributes attr) {
    return create_layer_forward({out, engine, attr, dnnl_layer_normalization},
        {prop, src, dst, nullptr, epsilon, flags},
        {statistics, static_cast<data_type>(scale_shift)});
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(new_desc out,
    dnnl_engine_t engine, dnnl_prop_kind_t prop, tensor diff_src, tensor diff_dst, tensor src,
    tensor statistics, dnnl_data_type_t diff_scale_shift, dnnl_data_type_t scale_shift,
    float epsilon, unsigned flags, hint_desc hint, attributes attr) {
    return create_layer_backward({out, engine, attr, dnnl_layer_normalization},
        {prop, diff_src, diff_dst, src, epsilon, flags},
        {statistics, static_cast<data_type>(scale_shift), static_cast<data_type>(diff_scale_shift)},
        hint);
}
