// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of reorder, sum and concat.
#include "common/c_api/create.hpp"
#include "common/descriptors/concat.hpp"
#include "common/descriptors/reorder.hpp"
#include "common/descriptors/sum.hpp"

using dnnl::impl::create_primitive_desc;
using dnnl::impl::require;

dnnl_status_t dnnl_reorder_primitive_desc_create(dnnl_primitive_desc_t *reorder_primitive_desc,
    const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine, const_dnnl_memory_desc_t dst_desc,
    dnnl_engine_t dst_engine, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc(
        {reorder_primitive_desc, src_engine, attr, dnnl_reorder, dst_engine}, [&] {
            require(dst_engine, "reorder: dst_engine: must not be NULL");
            return dnnl::impl::make_reorder_desc(src_desc, dst_desc);
        });
}

dnnl_status_t dnnl_concat_primitive_desc_create(dnnl_primitive_desc_t *concat_primitive_desc,
    dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n, int concat_dimension,
    const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({concat_primitive_desc, engine, attr, dnnl_concat},
        [&] { return dnnl::impl::make_concat_desc(dst_desc, n, concat_dimension, src_descs); });
}

dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t *sum_primitive_desc,
    dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n, const float *scales,
    const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({sum_primitive_desc, engine, attr, dnnl_sum},
        [&] { return dnnl::impl::make_sum_desc(dst_desc, n, scales, src_descs); });
}
