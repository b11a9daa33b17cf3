// SPDX-License-Identifier: Apache-2.0
// C entry point: descriptors of reduction.
#include "common/c_api/create.hpp"
#include "common/descriptors/reduction.hpp"

using dnnl::impl::create_primitive_desc;
using dnnl::impl::make_reduction_desc;

dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t dst_desc, float p, float eps, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_reduction},
        [&] { return make_reduction_desc(alg_kind, src_desc, dst_desc, p, eps); });
}
