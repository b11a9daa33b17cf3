// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of eltwise, binary, prelu, softmax and reduction; of reorder, concat,
// sum and shuffle.
#include "common/c_api/create.hpp"
#include "common/descriptors/elementwise.hpp"
#include "common/descriptors/movement.hpp"

using dnnl::impl::attributes;
using dnnl::impl::create_backward;
using dnnl::impl::create_forward;
using dnnl::impl::create_primitive_desc;
using dnnl::impl::hint_desc;
using dnnl::impl::new_desc;
using dnnl::impl::tensor;
namespace impl = dnnl::impl;

dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor dst, float alpha, float beta,
    attributes attr) {
    return create_forward({out, engine, attr, dnnl_eltwise}, prop,
        [&] { return impl::make_eltwise_desc(prop, alg, src, dst, nullptr, alpha, beta); });
}

dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor diff_src, tensor diff_dst, tensor data, float alpha, float beta,
    hint_desc hint, attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_eltwise};
    return create_backward<impl::eltwise_desc>(call, hint, [&](auto *) {
        return impl::make_eltwise_desc(
            dnnl_backward_data, alg, diff_src, diff_dst, data, alpha, beta);
    });
}

dnnl_status_t dnnl_binary_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor src0, tensor src1, tensor dst, attributes attr) {
    return create_primitive_desc({out, engine, attr, dnnl_binary}, [&] {
        impl::require(alg != dnnl_binary_select, "binary: alg_kind: select needs a third source");
        return impl::make_binary_desc(alg, {src0, src1, nullptr, dst});
    });
}

dnnl_status_t dnnl_binary_primitive_desc_create_v2(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor src0, tensor src1, tensor src2, tensor dst, attributes attr) {
    return create_primitive_desc({out, engine, attr, dnnl_binary}, [&] {
        return impl::make_binary_desc(alg, {src0, src1, src2, dst});
    });
}

dnnl_status_t dnnl_prelu_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, tensor src, tensor weights, tensor dst, attributes attr) {
    return create_forward({out, engine, attr, dnnl_prelu}, prop, [&] {
        return impl::make_prelu_desc(prop, {src, weights, dst});
    });
}

dnnl_status_t dnnl_prelu_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    tensor src, tensor weights, tensor diff_src, tensor diff_weights, tensor diff_dst,
    hint_desc hint, attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_prelu};
    return create_backward<impl::prelu_desc>(call, hint, [&](auto *) {
        return impl::make_prelu_desc(
            dnnl_backward, {src, weights, diff_dst, diff_src, diff_weights});
    });
}

dnnl_status_t dnnl_softmax_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, tensor src, tensor dst, int axis, attributes attr) {
    return create_forward({out, engine, attr, dnnl_softmax}, prop,
        [&] { return impl::make_softmax_desc(prop, alg, src, dst, nullptr, axis); });
}

dnnl_status_t dnnl_softmax_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor diff_src, tensor diff_dst, tensor dst, int axis, hint_desc hint,
    attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_softmax};
    return create_backward<impl::softmax_desc>(call, hint, [&](auto *) {
        return impl::make_softmax_desc(dnnl_backward_data, alg, diff_src, diff_dst, dst, axis);
    });
}

dnnl_status_t dnnl_reduction_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_alg_kind_t alg, tensor src, tensor dst, float p, float eps, attributes attr) {
    return create_primitive_desc({out, engine, attr, dnnl_reduction},
        [&] { return impl::make_reduction_desc(alg, src, dst, p, eps); });
}

// ---- Movement of elements ----

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
    return create_forward({out, engine, attr, dnnl_shuffle}, prop,
        [&] { return impl::make_shuffle_desc(prop, src, dst, axis, group_size, nullptr); });
}

dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    tensor diff_src, tensor diff_dst, int axis, dnnl_dim_t group_size, hint_desc hint,
    attributes attr) {
    const impl::creation call {out, engine, attr, dnnl_shuffle};
    return create_backward<impl::shuffle_desc>(call, hint, [&](auto *forward) {
        return impl::make_shuffle_desc(
            dnnl_backward_data, diff_src, diff_dst, axis, group_size, forward);
    });
}
