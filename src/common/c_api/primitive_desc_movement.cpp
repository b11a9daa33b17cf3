// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of reorder, concat, sum and shuffle.
#include "common/c_api/create.hpp"
#include "common/descriptors/concat.hpp"
#include "common/descriptors/reorder.hpp"
#include "common/descriptors/shuffle.hpp"
#include "common/descriptors/sum.hpp"

using dnnl::impl::attributes;
using dnnl::impl::create_primitive_desc;
using dnnl::impl::hint_desc;
using dnnl::impl::new_desc;
using dnnl::impl::tensor;
namespace impl = dnnl::impl;

dnnl_status_t dnnl_reorder_primitive_desc_create(new_desc out, tensor src, dnnl_engine_t src_engine,
    tensor dst, dnnl_engine_t dst_engine, attributes attr) {
    return create_primitive_desc({out, src_engine, attr, dnnl_reorder, dst_engine}, [&] {
        impl::require(dst_engine, "reorder: dst_engine: must not be NULL");
        return impl::make_reorder_desc(src, dst);
    });
}

dnnl_status_t dnnl_concat_primitive_desc_create(new_desc out, dnnl_engine_t engine, tensor dst,
    int n, int axis, tensor const *srcs, attributes attr) {
    return create_primitive_desc({out, engine, attr, dnnl_concat},
        [&] { return impl::make_concat_desc(dst, n, axis, srcs); });
}

dnnl_status_t dnnl_sum_primitive_desc_create(new_desc out, dnnl_engine_t engine, tensor dst, int n,
    const float *scales, tensor const *srcs, attributes attr) {
    return create_primitive_desc(
        {out, engine, attr, dnnl_sum}, [&] { return impl::make_sum_desc(dst, n, scales, srcs); });
}

dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, tensor src, tensor dst, int axis, dnnl_dim_t group_size,
    attributes attr) {
    return impl::create_forward({out, engine, attr, dnnl_shuffle}, prop,
        [&] { return impl::make_shuffle_desc(prop, src, dst, axis, group_size, nullptr); });
}

dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    tensor diff_src, tensor diff_dst, int axis, dnnl_dim_t group_size, hint_desc hint,
    attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_shuffle};
    return impl::create_backward<impl::shuffle_desc>(call, hint, [&](auto *forward) {
        return impl::make_shuffle_desc(
            dnnl_backward_data, diff_src, diff_dst, axis, group_size, forward);
    });
}
