// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of prelu.
#include "common/c_api/create.hpp"
#include "common/descriptors/prelu.hpp"

using dnnl::impl::create_primitive_desc;
using dnnl::impl::forward_hint;
using dnnl::impl::make_prelu_desc;
using dnnl::impl::prelu_desc;
using dnnl::impl::require;

dnnl_status_t dnnl_prelu_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_prelu}, [&] {
        require(dnnl::impl::is_forward(prop_kind), "prelu: prop_kind is not a forward kind");
        return make_prelu_desc(prop_kind, {src_desc, weights_desc, dst_desc});
    });
}

dnnl_status_t dnnl_prelu_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_prelu}, [&] {
        forward_hint<prelu_desc>(hint_fwd_pd);
        return make_prelu_desc(dnnl_backward,
            {src_desc, weights_desc, diff_dst_desc, diff_src_desc, diff_weights_desc});
    });
}
