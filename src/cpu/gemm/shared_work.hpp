// SPDX-License-Identifier: Apache-2.0
// Shares products of one shape among threads.
#pragma once

#include "common/layout/memory_desc.hpp"
#include "cpu/kernels/gemm/gemm_block.hpp"

namespace dnnl::impl::cpu {

/// Products of one shape that threads share: each is cut into items of so many rows and columns,
/// and a thread takes equal numbers of items, those of one product one after the other.
struct shared_work {
    dim_t products, M, N;
    dim_t row_unit, mr;            ///< rows that no tile is cut for; rows of the tallest tile
    dim_t panel_columns;           ///< which the columns of an item are multiples of
    dim_t most_rows, most_columns; ///< of an item
};
struct work_item {
    dim_t rows, columns;
};
work_item choose_item(const shared_work &work, int threads);
/// The rows that tiles of the kernel have multiples of.
inline dim_t row_unit(const gemm_kernel &kernel) { return kernel.begin ? 16 : 1; }

} // namespace dnnl::impl::cpu
