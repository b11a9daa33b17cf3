// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of eltwise, binary and softmax.
#include "common/c_api/create.hpp"
#include "common/descriptors/binary.hpp"
#include "common/descriptors/eltwise.hpp"
#include "common/descriptors/softmax.hpp"

using dnnl::impl::create_primitive_desc;
using dnnl::impl::eltwise_desc;
using dnnl::impl::forward_hint;
using dnnl::impl::make_binary_desc;
using dnnl::impl::make_eltwise_desc;
using dnnl::impl::make_softmax_desc;
using dnnl::impl::require;
using dnnl::impl::softmax_desc;

dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float alpha, float beta,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_eltwise}, [&] {
        require(dnnl::impl::is_forward(prop_kind), "eltwise: prop_kind is not a forward kind");
        return make_eltwise_desc(prop_kind, alg_kind, src_desc, dst_desc, nullptr, alpha, beta);
    });
}

dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t data_desc, float alpha,
    float beta, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_eltwise}, [&] {
        forward_hint<eltwise_desc>(hint_fwd_pd);
        return make_eltwise_desc(
            dnnl_backward_data, alg_kind, diff_src_desc, diff_dst_desc, data_desc, alpha, beta);
    });
}

dnnl_status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
    const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_binary}, [&] {
        require(alg_kind != dnnl_binary_select, "binary: alg_kind: select needs a third source");
        return make_binary_desc(alg_kind, {src0_desc, src1_desc, nullptr, dst_desc});
    });
}

dnnl_status_t dnnl_binary_primitive_desc_create_v2(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
    const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_binary}, [&] {
        return make_binary_desc(alg_kind, {src0_desc, src1_desc, src2_desc, dst_desc});
    });
}

dnnl_status_t dnnl_softmax_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, int softmax_axis,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_softmax}, [&] {
        require(dnnl::impl::is_forward(prop_kind), "softmax: prop_kind is not a forward kind");
        return make_softmax_desc(prop_kind, alg_kind, src_desc, dst_desc, nullptr, softmax_axis);
    });
}

dnnl_status_t dnnl_softmax_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t dst_desc, int softmax_axis,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_softmax}, [&] {
        forward_hint<softmax_desc>(hint_fwd_pd);
        return make_softmax_desc(
            dnnl_backward_data, alg_kind, diff_src_desc, diff_dst_desc, dst_desc, softmax_axis);
    });
}
