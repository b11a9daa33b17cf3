// SPDX-License-Identifier: Apache-2.0
// C entry points: memory descriptors.
#include <cstring>

#include "common/c_api/guard.hpp"
#include "common/layout/data_type.hpp"
#include "dnnl/dnnl_ext.h"

namespace {

/// Checks the shape and gives the descriptor that make() makes of it.
template <class Make>
dnnl_status_t create(dnnl_memory_desc_t *out, int ndims, const dnnl_dim_t *dims, const Make &make) {
    return guarded([&] {
        require(out, "memory_desc: must not be NULL");
        require(ndims >= 0 && ndims <= impl::max_ndims, "ndims: must lie in 0...12");
        require(ndims == 0 || dims, "dims: must not be NULL");
        const memory_desc md = make();
        impl::require_whole_bytes(md);
        *out = new memory_desc(md);
    });
}

dnnl_status_t create_sparse(dnnl_memory_desc_t *out, int ndims, const dnnl_dims_t dims,
    dnnl_data_type_t type, const impl::sparse_layout &stored) {
    return create(out, ndims, dims,
        [&] { return impl::make_sparse(ndims, dims, static_cast<data_type>(type), stored); });
}

/// Writes a value of type T to `result`. Some queries ask for a pointer to a field.
template <class T> void give(void *result, T value) { std::memcpy(result, &value, sizeof value); }

void query(const memory_desc &md, dnnl_query_t what, void *result) {
    const bool is_layout = what == dnnl_query_strides || what == dnnl_query_inner_nblks_s32 ||
                           what == dnnl_query_inner_blks || what == dnnl_query_inner_idxs;
    require(!is_layout || md.is_blocked(), "what: only a blocked layout has strides and blocks");
    const bool is_encoding = what == dnnl_query_sparse_encoding || what == dnnl_query_nnz_s64;
    require(!is_encoding || md.is_sparse(), "what: the tensor is not sparse");
    switch (what) {
    case dnnl_query_ndims_s32: return give(result, md.ndims);
    case dnnl_query_dims: return give(result, md.dims.data());
    case dnnl_query_data_type: return give(result, static_cast<dnnl_data_type_t>(md.dtype));
    case dnnl_query_submemory_offset_s64: return give(result, md.offset0);
    case dnnl_query_padded_dims: return give(result, md.padded_dims.data());
    case dnnl_query_padded_offsets: return give(result, md.padded_offsets.data());
    case dnnl_query_format_kind: return give(result, static_cast<dnnl_format_kind_t>(md.layout));
    case dnnl_query_strides: return give(result, md.strides.data());
    case dnnl_query_inner_nblks_s32: return give(result, md.inner_nblks);
    case dnnl_query_inner_blks: return give(result, md.inner_blks.data());
    case dnnl_query_inner_idxs: return give(result, md.inner_idxs.data());
    case dnnl_query_sparse_encoding: return give(result, md.sparse.encoding);
    case dnnl_query_nnz_s64: return give(result, md.sparse.nnz);
    case dnnl_query_num_handles_s32: return give(result, md.buffer_count());
    default: throw error(dnnl_unimplemented, "what: not a query of memory descriptors");
    }
}

} // namespace

dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t md) { return destroyed(md); }

dnnl_status_t dnnl_memory_desc_clone(dnnl_memory_desc_t *out, const_dnnl_memory_desc_t existing) {
    return guarded({{out, "memory_desc"}, {existing, "existing_memory_desc"}},
        [&] { *out = new memory_desc(*existing); });
}

dnnl_status_t dnnl_memory_desc_get_blob(
    uint8_t *blob, size_t *size, const_dnnl_memory_desc_t memory_desc) {
    return guarded({{size, "size"}, {memory_desc, "memory_desc"}}, [&] {
        const size_t needed = impl::blob_bytes();
        if (!blob) {
            *size = needed;
            return;
        }
        require(*size >= needed, "size: smaller than the blob");
        impl::write_blob(*memory_desc, blob);
    });
}

dnnl_status_t dnnl_memory_desc_create_with_blob(dnnl_memory_desc_t *out, const uint8_t *blob) {
    return guarded({{out, "memory_desc"}, {blob, "blob"}},
        [&] { *out = new memory_desc(impl::read_blob(blob)); });
}

dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *out, int ndims,
    const dnnl_dims_t dims, dnnl_data_type_t type, const dnnl_dims_t strides) {
    return create(out, ndims, dims, [&] {
        return impl::make_with_strides(ndims, dims, static_cast<data_type>(type), strides);
    });
}

dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *out, int ndims,
    const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_format_tag_t tag) {
    return create(out, ndims, dims,
        [&] { return impl::make_with_tag(ndims, dims, static_cast<data_type>(type), tag); });
}

dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *out, int ndims,
    const dnnl_dims_t dims, dnnl_data_type_t type, const char *tag) {
    return create(out, ndims, dims, [&] {
        require(tag, "tag: must not be NULL");
        return impl::make_with_layout_name(ndims, dims, static_cast<data_type>(type), tag);
    });
}

dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t *out, int ndims,
    const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_dim_t nnz, dnnl_data_type_t indices,
    dnnl_data_type_t pointers) {
    return create_sparse(out, ndims, dims, type,
        {dnnl_csr, static_cast<data_type>(indices), static_cast<data_type>(pointers), nnz});
}

dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t *out, int ndims,
    const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_dim_t nnz, dnnl_data_type_t indices) {
    return create_sparse(
        out, ndims, dims, type, {dnnl_coo, static_cast<data_type>(indices), {}, nnz});
}

dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t *out, int ndims,
    const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_dim_t nnz) {
    return create_sparse(out, ndims, dims, type, {dnnl_packed, {}, {}, nnz});
}

dnnl_status_t dnnl_memory_desc_create_host_scalar(dnnl_memory_desc_t *out, dnnl_data_type_t type) {
    return guarded({{out, "memory_desc"}},
        [&] { *out = new memory_desc(impl::make_host_scalar(static_cast<data_type>(type))); });
}

dnnl_status_t dnnl_memory_desc_set_data_type(dnnl_memory_desc_t md, dnnl_data_type_t type) {
    return guarded({{md, "memory_desc"}}, [&] {
        require(md->layout != impl::layout_kind::opaque && md->column_sums_mask == 0 &&
                    !md->is_sparse() && !md->is_host_scalar(),
            "memory_desc: packed weights, sparse tensors and host scalars keep their type");
        impl::set_data_type(*md, static_cast<data_type>(type));
    });
}

dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t *out,
    const_dnnl_memory_desc_t parent, const dnnl_dims_t dims, const dnnl_dims_t offsets) {
    return guarded({{out, "memory_desc"}, {parent, "parent_memory_desc"}},
        [&] { *out = new memory_desc(impl::submemory(*parent, dims, offsets)); });
}

dnnl_status_t dnnl_memory_desc_reshape(
    dnnl_memory_desc_t *out, const_dnnl_memory_desc_t in, int ndims, const dnnl_dims_t dims) {
    return guarded({{out, "out_memory_desc"}, {in, "in_memory_desc"}},
        [&] { *out = new memory_desc(impl::reshape(*in, ndims, dims)); });
}

dnnl_status_t dnnl_memory_desc_permute_axes(
    dnnl_memory_desc_t *out, const_dnnl_memory_desc_t in, const int *permutation) {
    return guarded({{out, "out_memory_desc"}, {in, "in_memory_desc"}},
        [&] { *out = new memory_desc(impl::permute_axes(*in, permutation)); });
}

dnnl_status_t dnnl_memory_desc_query(
    const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void *result) {
    return guarded({{memory_desc, "memory_desc"}, {result, "result"}},
        [&] { query(*memory_desc, what, result); });
}

dnnl_status_t dnnl_memory_desc_query_v2(
    const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, int index, void *result) {
    return guarded({{memory_desc, "memory_desc"}, {result, "result"}}, [&] {
        if (index == 0) return query(*memory_desc, what, result);
        require(what == dnnl_query_data_type, "index: only data types differ between buffers");
        const bool is_listed = memory_desc->is_sparse() &&
                               memory_desc->sparse.encoding != dnnl_packed && index > 0 &&
                               index < memory_desc->buffer_count();
        require(is_listed, "index: the descriptor has no such buffer with a type of its own");
        give(result, static_cast<dnnl_data_type_t>(memory_desc->buffer_type(index)));
    });
}

int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs) {
    if (lhs == rhs) return 1;
    return lhs && rhs && *lhs == *rhs;
}

size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc) {
    return memory_desc ? memory_desc->size_bytes() : 0;
}

size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index) {
    return memory_desc ? memory_desc->size_bytes(index) : 0;
}

size_t dnnl_data_type_size(dnnl_data_type_t type) {
    const size_t size = impl::size_of(static_cast<data_type>(type));
    return size == static_cast<size_t>(-1) ? 0 : size;
}
