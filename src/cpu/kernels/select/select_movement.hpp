// SPDX-License-Identifier: Apache-2.0
// Kernels of reorder, sum and concat by instruction set; baseline code like select.hpp.
#pragma once

#include "cpu/kernels/kernel_types.hpp"

namespace dnnl::impl::cpu {

struct column_sums_args;
struct copy_tile_args;
struct sum_args;

/// Precondition of all: has(target, isa::avx2).
void (*select_copy_tile(isa target))(const copy_tile_args &);
void (*select_add_column_sums(isa target))(const column_sums_args &);
void (*select_sum(isa target))(const sum_args &);
/// See convert_row.hpp.
void (*select_unpack_nibbles(isa target))(const void *, dim_t, void *);
void (*select_pack_nibbles(isa target))(const void *, dim_t, void *);

} // namespace dnnl::impl::cpu
