// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of pooling, resampling and local response normalization.
#include "common/c_api/create.hpp"
#include "common/descriptors/lrn.hpp"
#include "common/descriptors/pooling.hpp"
#include "common/descriptors/resampling.hpp"

using dnnl::impl::attributes;
using dnnl::impl::create_backward;
using dnnl::impl::create_forward;
using dnnl::impl::hint_desc;
using dnnl::impl::new_desc;
using dnnl::impl::tensor;
namespace impl = dnnl::impl;

dnnl_status_t dnnl_pooling_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor dst, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, attributes attr) {
    return create_forward({out, engine, attr, dnnl_pooling}, prop, [&] {
        return impl::make_pooling_desc(
            prop, alg, src, dst, kernel, {strides, dilation, padding_l, padding_r}, nullptr);
    });
}

dnnl_status_t dnnl_pooling_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor diff_src, tensor diff_dst, const dnnl_dims_t strides,
    const dnnl_dims_t kernel, const dnnl_dims_t dilation, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, hint_desc hint, attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_pooling};
    return create_backward<impl::pooling_desc>(call, hint, [&](auto *forward) {
        return impl::make_pooling_desc(dnnl_backward_data, alg, diff_src, diff_dst, kernel,
            {strides, dilation, padding_l, padding_r}, forward);
    });
}

dnnl_status_t dnnl_resampling_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const float *factors, tensor src, tensor dst,
    attributes attr) {
    return create_forward({out, engine, attr, dnnl_resampling}, prop,
        [&] { return impl::make_resampling_desc(prop, alg, factors, src, dst, nullptr); });
}

dnnl_status_t dnnl_resampling_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, const float *factors, tensor diff_src, tensor diff_dst, hint_desc hint,
    attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_resampling};
    return create_backward<impl::resampling_desc>(call, hint, [&](auto *forward) {
        return impl::make_resampling_desc(
            dnnl_backward_data, alg, factors, diff_src, diff_dst, forward);
    });
}

dnnl_status_t dnnl_lrn_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor dst, dnnl_dim_t local_size,
    float alpha, float beta, float k, attributes attr) {
    return create_forward({out, engine, attr, dnnl_lrn}, prop, [&] {
        return impl::make_lrn_desc(prop, alg, src, dst, nullptr, {local_size, alpha, beta, k});
    });
}

dnnl_status_t dnnl_lrn_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor diff_src, tensor diff_dst, tensor src, dnnl_dim_t local_size,
    float alpha, float beta, float k, hint_desc hint, attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_lrn};
    return create_backward<impl::lrn_desc>(call, hint, [&](auto *) {
        return impl::make_lrn_desc(
            dnnl_backward_data, alg, diff_src, diff_dst, src, {local_size, alpha, beta, k});
    });
}
