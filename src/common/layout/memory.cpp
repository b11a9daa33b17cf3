// SPDX-License-Identifier: Apache-2.0
#include "common/layout/memory.hpp"

#include <algorithm>
#include <cstring>

#include "common/layout/data_type.hpp"
#include "common/runtime/error.hpp"
#include "common/runtime/parallel.hpp"
#include "common/runtime/scratchpad.hpp"

using dnnl::impl::allocate_aligned;
using dnnl::impl::free_aligned;
using dnnl::impl::require;

dnnl_memory::dnnl_memory(const dnnl::impl::memory_desc &md, dnnl_engine_t engine, void *handle)
    : md_(md), engine_(engine) {
    require(!md.is_any(), "memory_desc: a memory needs a concrete layout, not `any`");
    require(!md.has_runtime(), "memory_desc: a memory cannot have run-time dimensions or strides");
    const std::size_t bytes = md.size_bytes();
    if (handle == DNNL_MEMORY_ALLOCATE) {
        if (bytes == 0) return;
        data_ = allocate_aligned(bytes);
        owned_ = true;
    } else if (!md.is_zero() && !md.has_zero_dim()) {
        data_ = handle;
    }
}

dnnl_memory::~dnnl_memory() {
    if (owned_) free_aligned(data_);
}

void dnnl_memory::set_data(void *handle) {
    if (owned_) free_aligned(data_);
    owned_ = false;
    data_ = handle;
}

namespace dnnl::impl {

// Padding is zeroed dimension by dimension: the slab after the last index, all other dimensions
// whole.

namespace {

/// Elements from index i of dimension d on that lie one after the other inside an inner block.
dim_t adjacent(const memory_desc &md, int d, dim_t i) {
    if (md.inner_nblks == 0 || md.inner_idxs[md.inner_nblks - 1] != d) return 1;
    const dim_t block = md.inner_blks[md.inner_nblks - 1];
    return block - i % block;
}

void clear(data_type dtype, void *data, dim_t first, dim_t count) {
    auto *bytes = static_cast<unsigned char *>(data);
    if (!is_4bit(dtype)) {
        const auto size = static_cast<dim_t>(size_of(dtype));
        std::memset(bytes + first * size, 0, static_cast<std::size_t>(count * size));
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
    const double cost_ns = 10.0 * static_cast<double>(md.padded_dims[d] - md.dims[d]);
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
