// SPDX-License-Identifier: Apache-2.0
#include "common/layout/memory.hpp"

#include <algorithm>
#include <cstring>

#include "common/layout/data_type.hpp"
#include "common/runtime/error.hpp"
#include "common/runtime/parallel.hpp"
#include "common/runtime/scratchpad.hpp"

using namespace dnnl::impl;

void dnnl_memory::buffer::refer_to(void *users) {
    if (owned_) free_aligned(data_);
    owned_ = false;
    data_ = users;
}

void dnnl_memory::buffer::allocate(std::size_t bytes) {
    refer_to(nullptr);
    data_ = allocate_aligned(bytes);
    owned_ = true;
}

dnnl_memory::dnnl_memory(
    const memory_desc &md, dnnl_engine_t engine, std::span<void *const> handles)
    : md_(md), engine_(engine) {
    require(!md.is_any(), "memory_desc: a memory needs a concrete layout, not `any`");
    require(!md.is_host_scalar(),
        "memory_desc: dnnl_memory_create_host_scalar makes memories of host scalars");
    require(!md.has_runtime(), "memory_desc: a memory cannot have run-time dimensions or strides");
    require(md.sparse.encoding != dnnl_packed,
        "memory_desc: the sizes of packed weights are known to primitives only");
    require(handles.size() <= std::size_t(md.buffer_count()),
        "nhandles: the descriptor has fewer buffers");
    for (int index = 0; index < static_cast<int>(handles.size()); ++index) {
        void *const handle = handles[std::size_t(index)];
        const std::size_t bytes = md.is_sparse() ? md.size_bytes(index) : md.buffer_bytes();
        buffer &one = buffers_[std::size_t(index)];
        const bool is_empty = md.is_sparse() ? bytes == 0 : md.is_zero() || md.has_zero_dim();
        if (handle != DNNL_MEMORY_ALLOCATE) {
            if (!is_empty) one.refer_to(handle);
        } else if (bytes != 0) {
            one.allocate(bytes);
        }
    }
}

dnnl_memory::dnnl_memory(const memory_desc &md, const void *value) : md_(md), engine_(nullptr) {
    require(md.is_host_scalar(), "memory_desc: it does not describe a host scalar");
    std::memcpy(value_.data(), value, md.size_bytes());
    buffers_[0].refer_to(value_.data());
}

namespace dnnl::impl {

// Padding is zeroed dimension by dimension. For each dimension it is the slab of indices from dims
// to padded_dims, over all indices of the other dimensions.

namespace {

/// The number of elements from index i of dimension d on that are adjacent within an inner block.
dim_t adjacent(const memory_desc &md, int d, dim_t i) {
    if (md.inner_nblks == 0 || md.inner_idxs[md.inner_nblks - 1] != d) return 1;
    const dim_t block = md.inner_blks[md.inner_nblks - 1];
    return block - i % block;
}

void clear(data_type dtype, void *data, dim_t first, dim_t count) {
    auto *bytes = static_cast<unsigned char *>(data);
    if (!is_4bit(dtype)) {
        const auto size = dim_t(size_of(dtype));
        std::memset(bytes + first * size, 0, std::size_t(count * size));
        return;
    }
    for (dim_t i = first; i < first + count; ++i)
        bytes[i / 2] &= static_cast<unsigned char>(i % 2 ? 0x0f : 0xf0);
}

void clear_slab(const memory_desc &md, int d, void *data) {
    memory_desc others = md; // every position of the other dimensions, padding included
    others.dims = md.padded_dims;
    others.dims[d] = 1;
    const dim_t lines = others.nelems();
    const double cost_ns = 10.0 * double(md.padded_dims[d] - md.dims[d]);
    const int threads = is_4bit(md.dtype) ? 1 : max_threads(); // two elements share a byte
    parallel_for(lines, cost_ns, threads, [&](int, dim_t begin, dim_t end) {
        for (dim_t line = begin; line < end; ++line) {
            dims_t position = position_of(others, line);
            dim_t count = 0;
            for (dim_t i = md.dims[d]; i < md.padded_dims[d]; i += count) {
                position[d] = i;
                count = std::min(adjacent(md, d, i), md.padded_dims[d] - i);
                clear(md.dtype, data, element_offset(md, position), count);
            }
        }
    });
}

} // namespace

void zero_padding(const memory_desc &md, void *data) {
    if (!data || !md.is_blocked() || !md.has_padding() || md.has_zero_dim()) return;
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] != md.padded_dims[d]) clear_slab(md, d, data);
}

} // namespace dnnl::impl
